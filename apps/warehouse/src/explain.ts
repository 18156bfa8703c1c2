/** The message for the user who started the program, without a stack. */
export function explain(error: unknown): unknown {
  if (!(error instanceof Error)) return error;
  const { code, port } = error as NodeJS.ErrnoException & { readonly port?: number };
  if (code !== 'EADDRINUSE') return error.message;
  return `Port ${String(port)} is in use. Set PORT and TCP_PORT to others, or to 0 for any that are free.`;
}
