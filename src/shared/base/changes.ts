/**
 * What an action changes, in one word (product.md "Engines and headless peers").
 * Law: whatever changes the bus is refused in a read-only context, wherever it is asked for.
 */

/** `machine`: this profile, its processes and files, and nothing that another peer can see. `bus`: it publishes, stores, claims or deletes there. */
export type Changes = 'nothing' | 'machine' | 'bus';
