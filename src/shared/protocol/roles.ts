/** Roles of protocol.md A2. Law: a grant names nothing else. */

/** Every role, in the order of the table. */
export const roles = [
  'worker',
  'bot',
  'human',
  'coordinator',
  'operator',
  'observer',
  'membershipd',
  'dlq-supervisor',
  'provisioner',
] as const;

export type Role = (typeof roles)[number];
