import { afterEach, beforeEach, expect, test } from 'vitest';
import { createAsker, openRoom } from '../../../tests/support/membership-place.ts';
import {
  openPlaneProfile,
  type PlaneEngine,
  type PlaneProfile,
  planeWorkspace,
} from '../../../tests/support/plane-profile.ts';
import { createSystemClock } from '../ports/clock.ts';
import { createAppMembership } from './app-membership.ts';
import type { AppService } from './app-service.ts';

let plane: PlaneProfile;
let place: PlaneEngine | undefined;
let membership: AppService;

beforeEach(async () => {
  plane = await openPlaneProfile(createSystemClock());
  place = undefined;
  membership = createAppMembership({
    ...{ ...plane.ports, workspace: planeWorkspace, openPeer: plane.openPeerWith, onChange: () => {} },
    ...{ place: () => place, isOpen: () => true, basis: () => 'root s1', issueCredentials: plane.issue },
  });
});
afterEach(async () => {
  await membership.close();
  expect(plane.log.filter((line) => line.includes('"bug"'))).toEqual([]);
  expect(plane.denied).toEqual([]);
  await plane.close();
});

test('R27 the app serves the rooms of its own engine, and those of the next one', async () => {
  for (const name of ['embedded', 'managed'] as const) {
    place = await plane.openEngine(name, name);
    await membership.follow();
    expect(membership.state()).toEqual({ kind: 'running', why: null });
    const peer = await plane.openPeer(place, `anna-${name}`, { roles: ['human'] });
    const anna = createAsker({ ...peer, ports: plane.ports });
    const room = await openRoom({ run: (work) => work }, anna);
    expect(anna.reader(room).log().head()?.n).toBe(0);
    expect(await anna.client.mine()).toEqual([{ room, n: 0, standing: 'member' }]);
    anna.dispose();
  }
});

test('R27 on a server that is not the app’s it leaves that to vak membershipd', async () => {
  place = await plane.openEngine('at_prod', 'remote');
  await membership.follow();
  expect(membership.state()).toMatchObject({ kind: 'off', why: expect.stringContaining('vak membershipd') });
});
