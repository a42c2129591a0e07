"""DLC, decoupled lookup-compute: the dialect and the lowering to it."""
