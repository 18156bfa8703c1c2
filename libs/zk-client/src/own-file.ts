/** The file that contains this code: one of the package, or an application's bundle. */
export const ownFile = findOwnFile();

/**
 * A CommonJS bundle has no `import.meta.url`, and an ES module has no `__filename`. webpack
 * evaluates `typeof __filename` at build time, in the same way for both.
 */
function findOwnFile(): string {
  try {
    return __filename;
  } catch {
    return import.meta.url;
  }
}
