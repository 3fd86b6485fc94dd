/** A card that a command is given as a file, or that lies in the directory (protocol.md I2). */
import { verifyCard } from '../../engine/identity/cards.ts';
import { createRecordChecks } from '../../engine/identity/signed-record.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import { parseJson } from '../../shared/protocol/payloads.ts';
import { openInputFile } from './input-file.ts';
import type { OpenWorkspace } from './workspace.ts';

/** A card has some 500 bytes. */
const maxCardBytes = 16 * 1024;

async function readCard(path: string): Promise<unknown> {
  const handle = await openInputFile(path, '--card');
  try {
    const { size } = await handle.stat();
    if (size > maxCardBytes)
      throw new VakError('invalid-input', `--card: ${size} bytes are no card; give what vak id card printed`);
    return parseJson(new Uint8Array(await handle.readFile()), '--card');
  } finally {
    await handle.close();
  }
}

/** Takes note of a card: of the file, else of the one that lies in the directory. */
export async function seeCard(peer: string, path: string | undefined, open: OpenWorkspace): Promise<void> {
  const stored = open.directory.card(peer)?.record;
  const record = path === undefined ? stored : await readCard(path);
  if (record === undefined) return;
  const card = verifyCard(record, createRecordChecks());
  if (card.ws !== open.workspace || card.peer !== peer) {
    throw new VakError(
      'invalid-input',
      `--card: it is of ${card.peer} in workspace ${card.ws}, not of ${peer} in ${open.workspace}`,
    );
  }
  const sight = await open.pins.see(card);
  if (path !== undefined && sight === 'replay') {
    throw new VakError('conflict', `--card: it is older than what was seen of ${peer}; ask for its present card`);
  }
}
