/** The two names of a new identity. */
import type { Ref } from 'react';
import { Field } from '../../ui/field.tsx';
import type { IdentityFields as Fields, IdentityErrors } from './identity-form.ts';

export interface IdentityFieldsProps {
  readonly fields: Fields;
  readonly errors: IdentityErrors;
  readonly isReadOnly?: boolean;
  readonly peerRef?: Ref<HTMLInputElement>;
  readonly onChange: (fields: Fields) => void;
}

export function IdentityFields({ fields, errors, isReadOnly = false, peerRef, onChange }: IdentityFieldsProps) {
  return (
    <div className="gate-fields">
      <Field
        isData
        ref={peerRef}
        label="Peer name"
        hint="Letters, digits, _ and -."
        value={fields.peer}
        error={errors.peer}
        readOnly={isReadOnly}
        data-testid="gate-peer"
        onChange={(event) => onChange({ ...fields, peer: event.target.value })}
      />
      <Field
        label="Display name"
        hint="What people read beside it."
        value={fields.displayName}
        error={errors.displayName}
        readOnly={isReadOnly}
        data-testid="gate-display-name"
        onChange={(event) => onChange({ ...fields, displayName: event.target.value })}
      />
    </div>
  );
}
