/** A QR code, dark on light in both themes, as cameras want it. */
import { useMemo } from 'react';
import { qrPath } from './qr-path.ts';

export function QrCode({ text, label }: { readonly text: string; readonly label: string }) {
  const { size, path } = useMemo(() => qrPath(text), [text]);
  return (
    <svg className="qr-code" viewBox={`0 0 ${size} ${size}`} role="img" aria-label={label} shapeRendering="crispEdges">
      <rect className="qr-ground" width={size} height={size} />
      <path className="qr-mark" d={path} />
    </svg>
  );
}
