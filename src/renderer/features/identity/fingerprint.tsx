/** A public key as it is read aloud: whole, in groups of eight, copied whole. */
import { Fragment } from 'react';
import { CopyIcon } from '../../ui/copy-icon.tsx';

export interface FingerprintProps {
  /** What is copied: "signing key of bob". */
  readonly name: string;
  readonly value: string;
}

export function Fingerprint({ name, value }: FingerprintProps) {
  const groups = value.match(/.{1,8}/g) ?? [];
  return (
    <span className="identity-key">
      {groups.slice(0, -1).map((group, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: groups of one key never move, and may be equal.
        <Fragment key={index}>
          <span className="identity-key-group data">{group}</span>
          <wbr />
        </Fragment>
      ))}
      <span className="identity-key-end">
        <span className="identity-key-group data">{groups.at(-1)}</span>
        <CopyIcon name={name} value={value} />
      </span>
    </span>
  );
}
