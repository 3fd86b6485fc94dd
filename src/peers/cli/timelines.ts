/** Grants of a workspace, verified under its pinned root. */
import { createTimelineReader, type GrantTimeline } from '../../engine/identity/grant-timeline.ts';
import { workspaceIn } from '../../engine/identity/root-grants.ts';
import { createRecordChecks } from '../../engine/identity/signed-record.ts';
import type { OpenWorkspace } from './workspace.ts';

/** A function from a peer to what it was ever granted. */
export function readTimelines({ workspace, directory, contents }: OpenWorkspace): (peer: string) => GrantTimeline {
  const { rootPublic } = workspaceIn(contents(), workspace);
  const read = createTimelineReader({ ws: workspace, rootPublic, checks: createRecordChecks() });
  return (peer) => read(directory.grants(peer), peer);
}
