"""The Kubernetes API: access to it, reading objects, requests by Service proxy, watches as a hint."""
