import type { VNode } from 'preact';

/**
 * Markup as preact's nodes. Values in `${}` become text or attributes, never markup. Views are plain
 * functions, so that the compiler checks their arguments; only views with state are components.
 */
export { html } from 'htm/preact';

/** `undefined` shows nothing. */
export type View = VNode | undefined;
