/**
 * The app's exports of the workspace's access for a nats-server (product.md "Identity & access").
 * Law: what is shown holds no secret; a file of credentials is written by main, for its owner alone, where its owner said.
 */
import { utf8 } from '../../shared/base/bytes.ts';
import { VakError } from '../../shared/base/vak-error.ts';
import type { AccessExport } from '../../shared/contract/access-contract.ts';
import type { AppContract } from '../../shared/contract/app-contract.ts';
import type { Services } from '../../shared/contract/define-contract.ts';
import { credentialsText, grantedNow, signedAccess } from '../access/access-export.ts';
import { accountsBlock, endingOf, jwtConfig, serverPolicyOf } from '../access/server-config.ts';
import type { Clock } from '../ports/clock.ts';
import type { OperatorPrompt } from '../ports/operator-prompt.ts';
import { writeFileAtomically } from './atomic-file.ts';
import { fileError } from './file-error.ts';
import type { KeyStore } from './key-store.ts';
import type { WorkspaceRecords } from './workspace-records.ts';

type Calls = Pick<Services<AppContract>['access'], 'exportServer' | 'saveServer' | 'saveCredentials'>;

export interface AccessExportDeps {
  readonly keyStore: Pick<KeyStore, 'read'>;
  readonly records: WorkspaceRecords;
  readonly prompt: Pick<OperatorPrompt, 'chooseSaveFile'>;
  readonly clock: Clock;
}

async function write(path: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeFileAtomically(path, bytes);
  } catch (error) {
    throw fileError('write', path, error);
  }
}

/** Creates the calls. */
export function createAccessExportService({ keyStore, records, prompt, clock }: AccessExportDeps): Calls {
  const { workspace } = records;

  function gather() {
    const place = { workspace, contents: keyStore.read(), records, nowMs: clock.now() };
    const granted = grantedNow(place);
    if (granted.length === 0) {
      throw new VakError('not-found', `nobody has a grant in force in workspace ${workspace}: grant a role first`);
    }
    const names = granted.map(({ peer }) => peer);
    return { place, policy: serverPolicyOf(workspace, granted, names) };
  }

  function textOf(format: AccessExport['format']): AccessExport {
    const { place, policy } = gather();
    const text = format === 'nats-conf' ? accountsBlock(policy) : jwtConfig(signedAccess(policy, place));
    return { format, text, peerCount: policy.users.length, endingCount: endingOf(policy.users).length };
  }

  return {
    exportServer: ({ format }) => textOf(format),
    async saveServer({ format }) {
      const { text } = textOf(format);
      const defaultName = format === 'nats-conf' ? 'access.conf' : 'access-jwt.conf';
      const path = await prompt.chooseSaveFile({ title: 'Save the access of this workspace', defaultName });
      await write(path, utf8(text));
      return { path };
    },
    async saveCredentials({ peer }) {
      const { place, policy } = gather();
      const jwt = signedAccess(policy, place).users.get(peer);
      if (jwt === undefined) {
        throw new VakError(
          'not-found',
          `${peer} has no grant in force in workspace ${workspace}: grant it a role first`,
        );
      }
      const bytes = credentialsText({ peer, jwt }, place);
      try {
        const title = `Save the credentials of ${peer}: whoever has this file is ${peer} to the server`;
        const path = await prompt.chooseSaveFile({ title, defaultName: `${peer}.creds` });
        await write(path, bytes);
        return { path };
      } finally {
        bytes.fill(0);
      }
    },
  };
}
