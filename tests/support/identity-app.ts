/** The identity service over a real profile, started and ended as the app does. */
import { afterEach, beforeEach, expect } from 'vitest';
import type { SelfTestResult } from '../../src/engine/crypto/self-test.ts';
import { createIdentityService, type IdentityService } from '../../src/engine/identity/identity-service.ts';
import type { Profile } from '../../src/engine/identity/profile.ts';
import { createCallContext } from './call-context.ts';
import { createScriptedPrompt, type ScriptedPrompt } from './scripted-prompt.ts';
import { createTestProfiles, type TestProfiles, testWorkspace } from './test-profile.ts';

type Calls = IdentityService['calls'];

export interface Started {
  readonly profile: Profile;
  readonly service: IdentityService;
  /** The calls as the bridge makes them. */
  readonly calls: {
    readonly [K in keyof Calls]: (input?: Parameters<Calls[K]>[0]) => Promise<Awaited<ReturnType<Calls[K]>>>;
  };
  /** How often it said that something changed. */
  changes(): number;
}

/** What the tests of one file share; new for each test. */
export interface IdentityApp {
  readonly profiles: TestProfiles;
  readonly prompt: ScriptedPrompt;
  readonly folder: string;
  /** A start of the app: everything is opened anew over the folder. */
  start(at?: string, selfTest?: SelfTestResult): Promise<Started>;
  end(app: Started): Promise<void>;
  restart(app: Started): Promise<Started>;
}

/** Defines the set-up and clean-up of each test; nothing that a test does may leave an answer, a secret or a timer. */
export function defineIdentityApp(): IdentityApp {
  let profiles: TestProfiles;
  let prompt: ScriptedPrompt;
  let folder: string;
  const context = createCallContext();

  beforeEach(() => {
    profiles = createTestProfiles();
    prompt = createScriptedPrompt();
    folder = profiles.folder();
  });
  afterEach(async () => {
    await profiles.remove();
    expect(prompt.left).toBe(0);
    for (const secret of prompt.given) expect(() => secret.reveal()).toThrow(/erased/);
    expect(profiles.clock.timerCount).toBe(0);
  });

  async function start(at = folder, selfTest: SelfTestResult = { ok: true }): Promise<Started> {
    const { clock, randomness, logger, vault } = profiles;
    const profile = await profiles.open(at);
    let changes = 0;
    const service = createIdentityService({
      ...{ keyStore: profile.keyStore, records: profile.records, backups: profile.backups, notices: profile.notices },
      ...{ vault, prompt, clock, randomness, logger, selfTest, onChange: () => changes++ },
    });
    await service.open();
    const calls = Object.fromEntries(
      Object.entries(service.calls).map(([name, run]) => [
        name,
        async (input: unknown = {}) => await (run as (...args: unknown[]) => unknown)(input, context),
      ]),
    ) as Started['calls'];
    return { profile, service, calls, changes: () => changes };
  }

  async function end({ profile, service }: Started): Promise<void> {
    service.dispose();
    await profile.close();
  }

  return {
    get profiles() {
      return profiles;
    },
    get prompt() {
      return prompt;
    },
    get folder() {
      return folder;
    },
    ...{ start, end },
    async restart(before) {
      await end(before);
      return await start();
    },
  };
}

/** Card and grant of ada as the directory has them, judged by the keys at hand. */
export function publishedBy({ profile, service }: Started) {
  const self = service.self();
  const card = profile.records.directory.card('ada')?.record;
  return {
    isCard: card !== undefined && card.sign === self?.sign && card.box === self.box && card.serial === self.cardSerial,
    roles: self?.grants.flatMap(({ roles }) => roles),
    isNoted: profile.records.floor.highest({ kind: 'card', ws: testWorkspace, peer: 'ada' }) === card?.serial,
  };
}
/** What `publishedBy` gives when all is well. */
export const inForce = { isCard: true, roles: ['operator', 'human', 'provisioner'], isNoted: true };
