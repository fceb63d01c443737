/** Loaded before every process of a service: none outlives the comparison, however that ends. */
process.on('disconnect', () => process.exit());
