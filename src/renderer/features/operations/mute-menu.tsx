/** What is not to be told on the desktop of an incident: its kind, its queue, everything for an hour. */
import { Bell, BellOff } from 'lucide-react';
import type { Incident, MuteState } from '../../../shared/contract/operations-contract.ts';
import { formatTimeOfDay } from '../../ui/format.ts';
import { Menu, type MenuItem } from '../../ui/menu.tsx';
import { noticeKindWords } from '../../ui/notice-kind-words.ts';
import { useSnapshot, useViewState } from '../../workbench.tsx';
import { type Mute, useMute } from './use-mute.ts';

interface ItemsDeps {
  readonly incident: Incident;
  readonly muted: MuteState;
  readonly untilWords: string | undefined;
  readonly mute: Mute;
}

function itemsOf({ incident: { kind, queue }, muted, untilWords, mute }: ItemsDeps): readonly MenuItem[] {
  const isKind = muted.kinds.includes(kind);
  const isQueue = queue !== null && muted.queues.includes(queue);
  const ofQueue: readonly MenuItem[] =
    queue === null
      ? []
      : [
          {
            id: 'mute-queue',
            label: `Mute the queue ${queue}`,
            isOn: isQueue,
            onSelect: () => mute((calls) => calls.muteQueue({ queue, isMuted: !isQueue })),
          },
        ];
  return [
    {
      id: 'mute-kind',
      label: `Mute all of this kind: ${noticeKindWords[kind].toLowerCase()}`,
      isOn: isKind,
      onSelect: () => mute((calls) => calls.muteKind({ kind, isMuted: !isKind })),
    },
    ...ofQueue,
    {
      id: 'mute-all',
      label: untilWords === undefined ? 'Mute everything for 1 hour' : `Everything is muted until ${untilWords}`,
      isOn: untilWords !== undefined,
      onSelect: () => mute((calls) => calls.muteAll({ forMinutes: untilWords === undefined ? 60 : 0 })),
    },
  ];
}

export function MuteMenu({ incident }: { readonly incident: Incident }) {
  const muted = useSnapshot('operations.state')?.muted;
  const zone = useViewState((state) => state.timeZone);
  const mute = useMute();
  if (muted === undefined) return null;
  const Icon = incident.isMuted ? BellOff : Bell;
  const untilWords = muted.untilMs === null ? undefined : formatTimeOfDay(muted.untilMs, zone).slice(0, 5);
  const label = `${incident.isMuted ? 'Muted' : 'Mute'}: ${incident.title}`;
  return (
    <Menu label={label} items={itemsOf({ incident, muted, untilWords, mute })}>
      <button
        type="button"
        className="icon-button"
        aria-label={label}
        title={incident.isMuted ? 'It is muted: not told on the desktop' : 'What is told on the desktop'}
        data-testid="problem-mute"
        data-muted={incident.isMuted}
      >
        <Icon aria-hidden="true" />
      </button>
    </Menu>
  );
}
