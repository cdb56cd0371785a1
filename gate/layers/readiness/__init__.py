"""Layer 3: do the controllers see the release ready? Deployments, Pods, Services, endpoints. Pure.

What it does not prove: that the answer of a request is right.
"""
