// The programs of Argo CD that the test cluster runs, and its command line, in
// one file: the name it is started under (a symbolic link) says which it is.
package main

import (
	"fmt"
	"os"
	"path/filepath"

	controller "github.com/argoproj/argo-cd/v3/cmd/argocd-application-controller/commands"
	applicationset "github.com/argoproj/argo-cd/v3/cmd/argocd-applicationset-controller/commands"
	askpass "github.com/argoproj/argo-cd/v3/cmd/argocd-git-ask-pass/commands"
	reposerver "github.com/argoproj/argo-cd/v3/cmd/argocd-repo-server/commands"
	server "github.com/argoproj/argo-cd/v3/cmd/argocd-server/commands"
	argocd "github.com/argoproj/argo-cd/v3/cmd/argocd/commands"
	"github.com/spf13/cobra"
)

func choose(name string) (*cobra.Command, error) {
	switch name {
	case "argocd":
		return argocd.NewCommand(), nil
	case "argocd-application-controller":
		return controller.NewCommand(), nil
	case "argocd-applicationset-controller":
		return applicationset.NewCommand(), nil
	case "argocd-git-ask-pass":
		return askpass.NewCommand(), nil
	case "argocd-repo-server":
		return reposerver.NewCommand(), nil
	case "argocd-server":
		return server.NewCommand(), nil
	}
	return nil, fmt.Errorf("%q is not one of the Argo CD programs in this file", name)
}

func main() {
	command, err := choose(filepath.Base(os.Args[0]))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	if command.Execute() != nil {
		os.Exit(1)
	}
}
