/** `vak grant export|import`: grants from one profile of a workspace to another; they are signed, and no secret (protocol.md I4). */
import { grantAt } from '../../engine/identity/grant-timeline.ts';
import { type VerifiedGrant, verifyGrant } from '../../engine/identity/grants.ts';
import { highestGrantSerial, publishGrant } from '../../engine/identity/own-records.ts';
import { workspaceIn } from '../../engine/identity/root-grants.ts';
import { createRecordChecks } from '../../engine/identity/signed-record.ts';
import { isVakError, VakError } from '../../shared/base/vak-error.ts';
import { parseJson } from '../../shared/protocol/payloads.ts';
import type { Role } from '../../shared/protocol/roles.ts';
import type { CliHost, Command } from './command.ts';
import { openInputFile } from './input-file.ts';
import { type InputLine, readLines } from './standard-input.ts';
import { type OpenWorkspace, withWorkspace } from './workspace.ts';

/** A grant with every role and queue is smaller. */
const maxLineBytes = 16 * 1024;
const maxGrants = 10_000;

const exportGrants: Command = {
  words: ['grant', 'export'],
  changes: 'machine',
  args: [],
  options: {},
  summary: 'Prints the newest grant of each peer with its signature, for other profiles of the workspace.',
  notes:
    'One signed grant a line, as JSON. Nothing in it is secret: whoever takes it over checks it against the root that is pinned there.',
  example: 'vak grant export > grants.ndjson',
  async run({ common }, host) {
    await withWorkspace(common, host, (open) => {
      const timelineOf = open.timelines(open.contents());
      for (const peer of [...open.directory.grantedPeers()].sort()) {
        const newest = grantAt(timelineOf(peer), host.clock.now());
        if (newest !== undefined) host.output.print(`${JSON.stringify(newest.grant)}\n`);
      }
    });
    return undefined;
  },
};

interface Checking {
  readonly open: OpenWorkspace;
  readonly checks: ReturnType<typeof createRecordChecks>;
}

/** A signature does not tell whose it is: what is known is whose it is not. */
function whyNot({ message, details }: VakError, rootPublic: string): string {
  if (details?.['field'] !== 'signature') return message;
  return `grant: this profile pins the root ${rootPublic} (vak id show), and it did not sign this: another root did, or it was altered after`;
}

/** The grant of a line. Throws `invalid-payload`, `limit-exceeded` that name the line. */
function grantOf(line: InputLine, { open, checks }: Checking): VerifiedGrant {
  const where = `FILE: line ${line.number}`;
  if (line.kind === 'too-long') throw new VakError('limit-exceeded', `${where}: more than ${maxLineBytes} bytes`);
  const { workspace } = open;
  const { rootPublic } = workspaceIn(open.contents(), workspace);
  try {
    const found = verifyGrant(parseJson(line.bytes, 'grant'), rootPublic, checks);
    if (found.ws === workspace) return found;
  } catch (error) {
    if (!isVakError(error)) throw error;
    throw new VakError(error.code, `${where}: ${whyNot(error, rootPublic)}; nothing was taken over`, { cause: error });
  }
  throw new VakError('invalid-payload', `${where}: is a grant of another workspace; give --workspace`);
}

/** All of a file, checked before anything of it is taken. */
async function readGrants(path: string, checking: Checking, { signal }: CliHost): Promise<readonly VerifiedGrant[]> {
  const handle = await openInputFile(path);
  const grants: VerifiedGrant[] = [];
  try {
    const stream = handle.createReadStream({ autoClose: false });
    for await (const line of readLines(stream, { maxBytes: maxLineBytes, signal })) {
      if (grants.length >= maxGrants) throw new VakError('limit-exceeded', `FILE: more than ${maxGrants} grants`);
      grants.push(grantOf(line, checking));
    }
    if (grants.length > 0) return grants;
    throw new VakError('invalid-payload', 'FILE: there is no grant in it; give what vak grant export printed');
  } finally {
    await handle.close();
  }
}

/** What becomes of one: what was seen already, or something newer, is never replaced. */
async function takeOver(found: VerifiedGrant, open: OpenWorkspace): Promise<'added' | 'unchanged' | 'older'> {
  const { peer, serial, signature } = found;
  const newestSerial = highestGrantSerial(open.workspace, peer, open);
  const isKnown = open.directory.grants(peer).some(({ record }) => record.signature === signature);
  if (serial === newestSerial && isKnown) return 'unchanged';
  if (serial <= newestSerial) return 'older';
  await publishGrant(found, open);
  return 'added';
}

/** The roles that a peer has here now. */
function rolesOf(peer: string, open: OpenWorkspace, { clock }: CliHost): readonly Role[] {
  const timeline = open.timelines(open.contents())(peer);
  return grantAt(timeline, clock.now())?.grant.roles ?? [];
}

const importGrants: Command = {
  words: ['grant', 'import'],
  changes: 'machine',
  args: ['FILE'],
  options: {},
  summary: 'Takes over what vak grant export printed in another profile of the workspace.',
  notes: `Each must be signed by the root that this profile pins; else nothing is taken over, and the line is named (exit code 2). Prints
{peer, roles, outcome: added|unchanged|older}, one a line; older: something newer of that peer was seen here, and stays; roles is
then what it has here. A file without a grant is exit code 2.`,
  needs: 'grants.ndjson is what vak grant export printed in another profile of this workspace',
  example: 'vak grant import grants.ndjson',
  async run({ args: [path = ''], common }, host) {
    await withWorkspace(common, host, async (open) => {
      for (const found of await readGrants(path, { open, checks: createRecordChecks() }, host)) {
        const outcome = await takeOver(found, open);
        const { peer } = found;
        // Of an older grant what is told is what stays, not what the file says.
        const roles = outcome === 'older' ? rolesOf(peer, open, host) : found.roles;
        host.output.data({ peer, roles, outcome }, `${outcome.padEnd(9)}  ${peer}  ${roles.join(', ') || '-'}`);
      }
    });
    return undefined;
  },
};

export const grantMoveCommands: readonly Command[] = [exportGrants, importGrants];
