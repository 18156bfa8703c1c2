/**
 * The file that this code runs from: one of the package, or an application's bundle. A bundle in
 * CommonJS has no `import.meta.url`, a module in ESM no `__filename`.
 */
export const ownFile: string = typeof __filename === 'string' ? __filename : import.meta.url;
