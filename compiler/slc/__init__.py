"""SLC, structured lookup-compute: the dialect and its passes, one file each."""
