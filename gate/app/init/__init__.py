"""A first configuration, from an Application that is live. Nothing is written to the cluster."""
