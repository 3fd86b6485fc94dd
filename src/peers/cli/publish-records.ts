/** What `vak grant` and `vak id` changed in a profile goes to the workspace's server at once, or says that it will (protocol.md I1, I4). */

import type { Fabric } from '../../engine/bus/fabric.ts';
import type { Published } from '../../engine/identity/record-publisher.ts';
import { busSettingsOf } from '../../engine/settings/bus-settings.ts';
import type { Disposable } from '../../shared/base/disposer.ts';
import { isVakError } from '../../shared/base/vak-error.ts';
import { withBus } from './bus-connection.ts';
import { actsWithRoot, followDirectory } from './bus-directory.ts';
import type { CliHost, CommonOptions } from './command.ts';
import { settingsFor } from './settings-for.ts';
import type { OpenWorkspace } from './workspace.ts';

/** So long a server may take to be there, ms. */
const connectMs = 5_000;
/** And to store what it is given. */
const storeMs = 3_000;

const later = 'it stands in this profile, and goes out with its next connection (the app, or a command that publishes)';

/** The person of the profile who acts with the root; undefined: the root is held elsewhere, and nobody here grants anything. */
export function rootPerson(open: OpenWorkspace): string | undefined {
  return open.contents().identities.find(({ peer }) => actsWithRoot(open, peer))?.peer;
}

/** Follows the directory until all that this profile has to say as that person lies there, or it does not come to that. */
export async function publishThrough(
  asked: { readonly open: OpenWorkspace; readonly peer: string; readonly fabric: Fabric },
  host: CliHost,
): Promise<Published> {
  const directory = followDirectory({ ...asked, isPublishing: true }, host);
  try {
    return await directory.published(storeMs);
  } finally {
    await directory.close();
  }
}

/** A signal that ends what waits too long for a server. */
function limited({ clock, signal }: CliHost): { readonly signal: AbortSignal } & Disposable {
  const late = new AbortController();
  const timer = clock.setTimer(connectMs, () => late.abort());
  return { signal: AbortSignal.any([signal, late.signal]), dispose: () => timer.dispose() };
}

/** What became of it, in words; undefined: all of it lies there. */
function wordsOf(published: Published, label: string): string | undefined {
  if (published.kind === 'all') return undefined;
  if (published.kind === 'refused')
    return `${label} does not let it be stored there (${published.error.message}); ${later}`;
  const why = published.error === undefined ? 'no answer' : published.error.message;
  return `${label}: ${why}; ${later}`;
}

/** Publishes through a connection of its own, as the profile's person. Gives what to say of it. */
export async function publishAs(
  peer: string,
  { open, common }: { readonly open: OpenWorkspace; readonly common: CommonOptions },
  host: CliHost,
): Promise<string | undefined> {
  const limit = limited(host);
  try {
    const asked = { common, profile: open.profile, host: { ...host, signal: limit.signal }, peer };
    return await withBus(asked, async (fabric, place) => {
      const published = await publishThrough({ open, peer, fabric }, host);
      return wordsOf(published, place.label) ?? `published (${place.label})`;
    });
  } catch (error) {
    if (!isVakError(error) || host.signal.aborted) throw error;
    const why = limit.signal.aborted ? `no connection within ${connectMs / 1000} s` : error.message;
    return `${why}; ${later}`;
  } finally {
    limit.dispose();
  }
}

/**
 * Publishes what the profile has to say to the server of the line, or of the settings. Where that cannot be, it says so; the change
 * itself is done. Throws only what is a bug, and `aborted`.
 */
export async function publishRecords(open: OpenWorkspace, common: CommonOptions, host: CliHost): Promise<void> {
  const peer = rootPerson(open);
  if (peer === undefined) return;
  const settings = settingsFor(common, open.profile.settings.settings());
  const { kind, context, readOnly } = busSettingsOf(settings);
  if (kind === 'embedded') {
    // The app reads the profile itself; who has no server needs to hear of none.
    if (settings.contexts.every((one) => one.kind === 'embedded')) return;
    host.output.talk(`vak: ${later}; to send it to a server now, give --context`);
    return;
  }
  if (readOnly) {
    host.output.talk(`vak: context ${context} is read-only; ${later} by a context that is not`);
    return;
  }
  const said = await publishAs(peer, { open, common }, host);
  if (said !== undefined) host.output.talk(`vak: ${said}`);
}
