/**
 * What a passphrase costs to try (RFC 7914; protocol.md I3).
 * Law: what is written, and the least that is accepted; it stands alone so that tests which are about something else can pay less.
 */

/** 128 MiB, 0.3–0.7 s. */
export const passphraseCost = { n: 2 ** 17, r: 8, p: 1 } as const;
