/**
 * The app's own membership service (protocol.md R2, docs/spec/rooms.md R27).
 * Law: as every service of the app; it is the same service as vak membershipd, and no nearer to the keys of a room.
 */
import { serveMembership } from '../rooms/membership-service.ts';
import { type AppService, type AppServiceDeps, createAppService, type ServicePlace } from './app-service.ts';

/** Creates it at rest. */
export function createAppMembership<P extends ServicePlace>(deps: AppServiceDeps<P>): AppService {
  const { clock, randomness, logger } = deps;
  return createAppService(
    {
      ...{ peer: 'membershipd', role: 'membershipd', event: 'membership' },
      onRemote: 'on a remote server rooms are served by whoever runs vak membershipd',
      async serve(peer) {
        return serveMembership({
          ...{ peer, clock, randomness, logger },
          onEvent: ({ kind, room, type, n, seq }) => logger.info(`membership.${kind}`, { room, type, n, seq }),
        });
      },
    },
    deps,
  );
}
