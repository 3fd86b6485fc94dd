/**
 * The app's own dead-letter supervisor (protocol.md W3).
 * Law: as every service of the app; that it cannot hear of deaths is told.
 */
import { startSupervision } from '../work/supervision.ts';
import { type AppService, type AppServiceDeps, createAppService, type ServicePlace } from './app-service.ts';

/** Creates it at rest. */
export function createAppSupervisor<P extends ServicePlace>(deps: AppServiceDeps<P>): AppService {
  const { clock, randomness, logger } = deps;
  return createAppService(
    {
      ...{ peer: 'supervisor', role: 'dlq-supervisor', event: 'supervisor' },
      onRemote: 'a remote server is supervised by whoever runs vak dlq-supervisor',
      serve: (peer, tell) =>
        startSupervision({
          ...{ peer, clock, randomness, logger },
          onEvent: ({ kind, queue, seq }) => logger.info(`supervisor.${kind}`, { queue, seq }),
          onRefused: ({ kind, message: { stream, seq }, why }) =>
            logger.warn('supervisor.refused', { kind, stream, seq, why }),
          onTrouble: (_code, message) => tell(message),
          onBack: () => tell(null),
        }),
    },
    deps,
  );
}
