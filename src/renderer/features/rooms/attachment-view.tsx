/** A file of a message: name, type, size, progress, save; of an image a preview that is decoded here and drawn, never fetched. */
import { Download, FileText, ImageIcon, X } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { visibleText } from '../../../shared/base/visible-text.ts';
import type { RoomMessageItem, RoomTransfer } from '../../../shared/contract/rooms-contract.ts';
import { Button } from '../../ui/button.tsx';
import { describeError } from '../../ui/describe-error.ts';
import { formatBytes } from '../../ui/format.ts';
import { Gauge } from '../../ui/gauge.tsx';
import { IconButton } from '../../ui/icon-button.tsx';
import { useSnapshot, useWorkbench } from '../../workbench.tsx';
import { fromBase64 } from './base64.ts';
import { imageFault, imageSize } from './image-size.ts';
import { transferWords } from './room-words.ts';
import { useRoomWork, useTold } from './use-room-work.ts';

/** Images up to this size are shown by themselves, larger ones when asked for. */
const ownPreviewBytes = 1024 * 1024;

export interface PreviewProps {
  readonly room: string;
  readonly item: RoomMessageItem;
  /** The box that it is drawn into, px. */
  readonly width: number;
  readonly height: number;
}

/** Decodes no more pixels than are drawn; rejects with why. */
async function drawImage(
  canvas: HTMLCanvasElement,
  bytes: Uint8Array<ArrayBuffer>,
  box: { width: number; height: number },
): Promise<void> {
  const size = imageSize(bytes);
  const fault = imageFault(bytes);
  if (fault !== undefined || size === undefined) throw new Error(fault);
  const density = window.devicePixelRatio;
  const scale = Math.min(1, (box.width * density) / size.width, (box.height * density) / size.height);
  const resizeWidth = Math.max(1, Math.round(size.width * scale));
  const resizeHeight = Math.max(1, Math.round(size.height * scale));
  const image = await createImageBitmap(new Blob([bytes]), { resizeWidth, resizeHeight, resizeQuality: 'high' });
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.style.width = `${image.width / density}px`;
  canvas.style.height = `${image.height / density}px`;
  canvas.getContext('2d')?.drawImage(image, 0, 0);
  image.close();
}

/** Reads the verified bytes and draws them; what went wrong. */
export function usePreview({ room, item, width, height }: PreviewProps, isWanted: boolean) {
  const { client } = useWorkbench();
  const canvas = useRef<HTMLCanvasElement>(null);
  const [state, setState] = useState<{ readonly isDrawn: boolean; readonly why: string | undefined }>({
    isDrawn: false,
    why: undefined,
  });
  const { messageId } = item;
  useEffect(() => {
    const element = canvas.current;
    if (!isWanted || element === null) return;
    const control = new AbortController();
    client.rooms
      .preview({ room, messageId }, { signal: control.signal })
      .then(({ data }) => drawImage(element, fromBase64(data), { width, height }))
      .then(() => !control.signal.aborted && setState({ isDrawn: true, why: undefined }))
      .catch((error: unknown) => {
        if (!control.signal.aborted) setState({ isDrawn: false, why: describeError('Show the image', error).why });
      });
    return () => control.abort();
  }, [client, room, messageId, width, height, isWanted]);
  return { canvas, ...state };
}

function Preview(props: PreviewProps) {
  const { item, width, height, room } = props;
  const work = useRoomWork();
  const summary = useSnapshot('rooms.state')?.rooms.find((one) => one.room === room);
  const [isAsked, setIsAsked] = useState(false);
  const size = item.attachment?.sizeBytes ?? 0;
  const isWanted = isAsked || size <= ownPreviewBytes;
  const { canvas, isDrawn, why } = usePreview(props, isWanted);
  const name = visibleText(item.attachment?.name ?? '');
  return (
    <div className="attachment-preview" style={{ width: `${width}px`, height: `${height}px` }}>
      {!isWanted && (
        <Button icon={ImageIcon} onClick={() => setIsAsked(true)}>
          Show the image ({formatBytes(size)})
        </Button>
      )}
      {why !== undefined && <p className="attachment-why dim">{why}</p>}
      {isWanted && why === undefined && (
        <button
          type="button"
          className="attachment-image"
          aria-label={`Look at ${name}`}
          onClick={() => summary !== undefined && work.ask({ kind: 'image', room: summary, item })}
        >
          <canvas ref={canvas} data-drawn={isDrawn} />
        </button>
      )}
    </div>
  );
}

export function TransferLine({ transfer }: { readonly transfer: RoomTransfer }) {
  const { calls } = useRoomWork();
  const told = useTold();
  const { transferId, doneBytes, sizeBytes, direction, error, name } = transfer;
  const what = direction === 'up' ? 'Sending' : 'Fetching';
  const file = visibleText(name);
  return (
    <div className="attachment-transfer">
      {error === null ? (
        <>
          <Gauge
            label={`${what} ${file}`}
            value={doneBytes}
            max={Math.max(1, sizeBytes)}
            valueText={transferWords(transfer)}
          />
          <span className="data">{transferWords(transfer)}</span>
        </>
      ) : (
        <p className="attachment-failed tone-bad">
          {what} failed: {visibleText(error.message)}
        </p>
      )}
      <IconButton
        icon={X}
        label={error === null ? `Cancel ${what.toLowerCase()} ${file}` : `Dismiss the failure of ${file}`}
        onClick={() => told('Cancel the transfer', () => calls.cancelTransfer(transferId))}
      />
    </div>
  );
}

export function AttachmentView({ room, item }: { readonly room: string; readonly item: RoomMessageItem }) {
  const { calls } = useRoomWork();
  const told = useTold();
  const transfers = useSnapshot('rooms.state')?.transfers;
  const { attachment, messageId } = item;
  if (attachment === null) return null;
  const transfer = transfers?.find((one) => one.room === room && one.messageId === messageId);
  const name = visibleText(attachment.name);
  return (
    <div className="attachment">
      {attachment.hasPreview && item.seq !== null && <Preview {...{ room, item }} width={320} height={200} />}
      <div className="attachment-line">
        <FileText size={14} aria-hidden="true" />
        <span className="attachment-name" dir="auto" title={name}>
          {name}
        </span>
        <span className="attachment-facts dim data">
          {formatBytes(attachment.sizeBytes)} · {visibleText(attachment.mime)}
        </span>
        <IconButton
          icon={Download}
          label={`Save ${name} as…`}
          disabledReason={item.seq === null ? 'it is not sent yet' : undefined}
          onClick={() => told(`Save ${name}`, () => calls.saveAttachment(room, messageId))}
        />
      </div>
      {transfer !== undefined && <TransferLine transfer={transfer} />}
    </div>
  );
}
