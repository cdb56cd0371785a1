"""The image built and the action run in a workflow, on this machine: podman, and act as the workflow engine."""
