"""A small Kubernetes: the objects, the API in front of them, and the controllers that move them.

It shows what the gate reads in the shape of the real API server (1.34), and the rollouts of the
workloads that it knows in the order of the real controllers. It proves decisions, not Kubernetes.
"""
