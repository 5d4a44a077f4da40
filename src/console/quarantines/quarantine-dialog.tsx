import { type SubmitEvent, useState } from 'react';
import {
  maxQuarantineDays,
  maxQuarantineOwnerLength,
  maxQuarantineReasonLength,
} from '../../contract/quarantine-limits.ts';
import type { Quarantine, SetQuarantineRequest } from '../../contract/quarantines-api.ts';
import { nowMs } from '../browser.ts';
import { Dialog } from '../components/dialog.tsx';
import { DialogActions } from '../components/dialog-actions.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Field } from '../components/field.tsx';
import { TextAreaField } from '../components/text-area-field.tsx';
import { formatDayAhead } from '../text/format-day.ts';
import { useSetQuarantine } from './use-quarantines.ts';

const proposedDays = 14;

type QuarantineFormProps = {
  readonly title: string;
  /** The present one, which is replaced. */
  readonly quarantine?: Quarantine | undefined;
  readonly error?: Error | null;
  readonly isPending: boolean;
  readonly onSubmit: (input: SetQuarantineRequest) => void;
  readonly onClose: () => void;
};

/** For one scenario or several. */
export function QuarantineForm({ title, quarantine, error, isPending, onSubmit, onClose }: QuarantineFormProps) {
  const [openedMs] = useState(nowMs);
  const [day, setDay] = useState(quarantine?.until.slice(0, 10) ?? formatDayAhead(openedMs, proposedDays));
  const [reason, setReason] = useState(quarantine?.reason ?? '');
  const [owner, setOwner] = useState(quarantine?.owner ?? '');
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const input = { until: `${day}T23:59:59.999Z`, reason };
    onSubmit(owner.trim() === '' ? input : { ...input, owner });
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <p>
          It runs as ever and its results are shown. Until the end, its failures do not count: suites, pipelines and
          notifications stay as if it had not failed.
        </p>
        <Field
          label="Until the end of"
          hint={`A day in UTC, at most ${maxQuarantineDays} days ahead. Then its failures count again by themselves.`}
          data-first
          type="date"
          required
          min={formatDayAhead(openedMs, 0)}
          max={formatDayAhead(openedMs, maxQuarantineDays)}
          value={day}
          onChange={({ target }) => setDay(target.value)}
        />
        <TextAreaField
          label="Reason"
          value={reason}
          rows={[2, 6]}
          maxLength={maxQuarantineReasonLength}
          onTextChange={setReason}
        />
        <Field
          label="Owner"
          hint="Who repairs it. Empty: the owner that the scenario names, else you."
          maxLength={maxQuarantineOwnerLength}
          autoComplete="off"
          value={owner}
          onChange={({ target }) => setOwner(target.value)}
        />
        {error ? <ErrorNotice error={error} /> : null}
        <DialogActions onClose={onClose} isPending={isPending} pendingLabel="Saving…" isDisabled={reason.trim() === ''}>
          {quarantine ? 'Save' : 'Put in quarantine'}
        </DialogActions>
      </form>
    </Dialog>
  );
}

type QuarantineDialogProps = {
  readonly instance: string;
  readonly scenario: string;
  readonly quarantine: Quarantine | undefined;
  readonly onClose: () => void;
};

export function QuarantineDialog({ instance, scenario, quarantine, onClose }: QuarantineDialogProps) {
  const set = useSetQuarantine(instance, scenario);
  return (
    <QuarantineForm
      title={quarantine ? `Quarantine of ${scenario}` : `Put ${scenario} in quarantine`}
      quarantine={quarantine}
      error={set.error}
      isPending={set.isPending}
      onSubmit={(input) => set.mutate(input, { onSuccess: onClose })}
      onClose={onClose}
    />
  );
}
