import type { VNode } from 'preact';

/**
 * Markup as preact's nodes. What stands in `${}` becomes text or an attribute's value, never markup.
 * Views are functions that are called, so that their arguments are checked; only what has a state of
 * its own is a component.
 */
export { html } from 'htm/preact';

/** What a view gives: nothing is shown for `undefined`. */
export type View = VNode | undefined;
