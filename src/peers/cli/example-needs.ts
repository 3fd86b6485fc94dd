/** What examples of the help need, where several need the same. */

export const passNeed = "~/pass holds the key store's passphrase (10 characters at least), mode 0600";
export const secretNeed = '~/secret holds the workspace secret, mode 0600';
export const serverNeed = 'a nats-server with JetStream at the address (nats-server -js)';
export const contextNeed = 'the context prod (vak context add)';
export const builderNeed = 'the identity builder (second example of vak id new)';
export const letterNeed = `a dead letter (a task that failed for good); ${contextNeed}`;
export const roomNeed = `the room Deploys (first example of vak room create); vak membershipd runs; ${contextNeed}`;
