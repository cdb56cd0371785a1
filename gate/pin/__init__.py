"""Where the pin stands in Git: reading ``targetRevision`` from manifests."""
