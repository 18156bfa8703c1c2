import type { OutputChunk, Plugin } from 'rolldown';

export function bundleCode(folder: string, plugins?: readonly Plugin[]): Promise<OutputChunk[]>;
