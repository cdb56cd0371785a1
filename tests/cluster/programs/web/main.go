// The release that the tests roll out: a web server that says which release it
// is. Started under the name "pause" it serves nothing and only waits.
//
//	RELEASE  the release: /version answers {"release": RELEASE, "pod": HOSTNAME}
//	ANSWER   name this release instead (a wrong image behind a right tag)
//	STATUS   answer /version with this status code instead of 200
//	EXIT     end at once with this exit code
//	AFTER    seconds to wait before EXIT
//	LINGER   seconds to go on serving after SIGTERM
package main

import (
	"encoding/json"
	"log"
	"net/http"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"syscall"
	"time"
)

// number is the environment variable as a number, or otherwise where it is unset.
func number(name string, otherwise int) int {
	text, set := os.LookupEnv(name)
	if !set {
		return otherwise
	}
	value, err := strconv.Atoi(text)
	if err != nil {
		log.Fatalf("%s=%q is not a number", name, text)
	}
	return value
}

func serve() {
	release := os.Getenv("RELEASE")
	if answer, set := os.LookupEnv("ANSWER"); set {
		release = answer
	}
	body, err := json.Marshal(map[string]string{"release": release, "pod": os.Getenv("HOSTNAME")})
	if err != nil {
		log.Fatal(err)
	}
	status := number("STATUS", http.StatusOK)
	http.HandleFunc("/version", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		w.Write(append(body, '\n'))
	})
	http.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) {
		w.Write([]byte("ok\n"))
	})
	log.Fatal(http.ListenAndServe(":8080", nil))
}

func main() {
	if code := number("EXIT", -1); code >= 0 {
		time.Sleep(time.Duration(number("AFTER", 0)) * time.Second)
		os.Exit(code)
	}
	stop := make(chan os.Signal, 1)
	signal.Notify(stop, syscall.SIGTERM, syscall.SIGINT)
	if filepath.Base(os.Args[0]) != "pause" {
		go serve()
	}
	<-stop
	time.Sleep(time.Duration(number("LINGER", 0)) * time.Second)
}
