/** The file that this code runs from: one of the package, or an application's bundle. */
export const ownFile = findOwnFile();

/**
 * A bundle in CommonJS has no `import.meta.url`, a module in ESM no `__filename`, and webpack answers
 * `typeof __filename` at build time, for both alike.
 */
function findOwnFile(): string {
  try {
    return __filename;
  } catch {
    return import.meta.url;
  }
}
