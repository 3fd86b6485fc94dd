/** What a server refused a command, said like what the engine refuses (protocol.md A5, A20). */
import { holdsRoot } from '../../engine/access/access-export.ts';
import { refusalError } from '../../engine/access/refusal-words.ts';
import { explainServerDenial, type ServerDenial } from '../../engine/access/server-denials.ts';
import { grantAt } from '../../engine/identity/grant-timeline.ts';
import { openWorkspaceRecords } from '../../engine/identity/workspace-records.ts';
import { isVakError, type VakError } from '../../shared/base/vak-error.ts';
import type { GrantedHolder } from '../../shared/protocol/server-rights.ts';
import type { CliHost, CommonOptions } from './command.ts';
import type { Profile } from './profile.ts';

type Granted = Pick<GrantedHolder, 'roles' | 'queues' | 'holdsRoot'>;

export interface DeniedCommand {
  readonly common: CommonOptions;
  readonly profile: Profile;
  readonly host: CliHost;
  /** Whom the server takes it for. */
  readonly peer: string;
  /** What that peer is granted, where somebody knows it already. */
  readonly granted?: (() => Granted | undefined) | undefined;
}

/** What a server refused, if the error says that; not what has been put in words before. */
function denialIn(error: unknown): ServerDenial | undefined {
  if (!isVakError(error, 'unauthorized') || error.details?.['peer'] !== undefined) return undefined;
  const { operation, subject } = error.details ?? {};
  if (operation !== 'publish' && operation !== 'subscribe') return undefined;
  return typeof subject === 'string' ? { operation, subject } : undefined;
}

/** What the peer is granted, as far as the profile says; undefined where the key store is closed, or of another workspace. */
async function grantedIn({ common, profile, host, peer }: DeniedCommand): Promise<Granted | undefined> {
  const { workspace } = common;
  if (profile.keyStore.state().kind !== 'unlocked') return undefined;
  const contents = profile.keyStore.read();
  if (!contents.workspaces.some((one) => one.workspace === workspace)) return undefined;
  const { clock, randomness } = host;
  const records = await openWorkspaceRecords({
    ...{ files: profile.files, workspace, clock, randomness },
    report() {},
  });
  try {
    const held = grantAt(records.timelines(contents)(peer), clock.now())?.grant;
    const { roles = [], queues = [] } = held ?? {};
    return { roles, queues, holdsRoot: holdsRoot({ peer, roles }, { contents, workspace }) };
  } finally {
    records.dispose();
  }
}

async function inWords(denial: ServerDenial, asked: DeniedCommand, cause: VakError): Promise<VakError> {
  const { common, peer } = asked;
  const granted = asked.granted?.() ?? (await grantedIn(asked));
  const rule =
    granted === undefined
      ? 'A4 the server; open the key store (VAK_PASSPHRASE_FILE) to be told which'
      : explainServerDenial({ workspace: common.workspace, peer, ...granted }, denial);
  const tried = { action: denial.operation, subject: denial.subject ?? '' };
  return refusalError({ ...tried, peer, roles: granted?.roles, rule, side: 'server' }, cause);
}

/** The error, and if a server's refusal: what was tried, by whom, by which rule. Anything else, also a fault in finding that out, as it is. */
export async function explainDenied(error: unknown, asked: DeniedCommand): Promise<unknown> {
  const denial = denialIn(error);
  if (denial === undefined) return error;
  try {
    return await inWords(denial, asked, error as VakError);
  } catch (thrown) {
    if (!isVakError(thrown)) throw thrown;
    return error;
  }
}
