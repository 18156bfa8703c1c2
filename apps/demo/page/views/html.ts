import type { VNode } from 'preact';

/** Markup as preact's nodes. Values in `${}` become text or attributes, never markup. */
export { html } from 'htm/preact';

export type View = VNode | undefined;
