/**
 * Names of inboxes and of the answers in them, which nobody can guess who has not seen them (protocol.md A4, A23).
 * Law: 128 random bits each; one draw serves many, since each message that is stored needs one.
 */
import type { Randomness } from '../../ports/randomness.ts';

const tokenBytes = 16;
const drawnBytes = tokenBytes * 256;

/** Gives a token (S1) of 22 characters at each call. */
export function createTokens(randomness: Randomness): () => string {
  let drawn = Buffer.alloc(0);
  let used = 0;
  return () => {
    if (used >= drawn.length) {
      drawn = Buffer.from(randomness.bytes(drawnBytes));
      used = 0;
    }
    const from = used;
    used += tokenBytes;
    return drawn.toString('base64url', from, used);
  };
}
