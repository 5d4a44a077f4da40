import { type SubmitEvent, useState } from 'react';
import { formatTickTime } from '../../contract/schedule-text.ts';
import type { Schedule, ScheduleDefinition } from '../../contract/schedules-api.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { DialogActions } from '../components/dialog-actions.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Field } from '../components/field.tsx';
import { Select } from '../components/select.tsx';
import { useChangeSchedules, useSchedulePreview } from './use-schedules.ts';

const whenOptions = [
  ['cron', 'at set times (cron)'],
  ['every', 'at an interval'],
  ['webhook', 'after a deployment (webhook)'],
  ['new_version', 'on a new version of the target'],
] as const;
type WhenOption = (typeof whenOptions)[number][0];

type Draft = {
  readonly id: string;
  readonly when: WhenOption;
  readonly cron: string;
  readonly every: string;
  readonly timeZone: string;
  readonly scenarios: string;
  readonly tags: string;
};

function splitList(text: string): string[] {
  return text.split(/[\s,]+/).filter(Boolean);
}

function createDraft(schedule: Schedule | undefined): Draft {
  const { cron, every, on, time_zone: zone, scenarios = [], tags = [] } = schedule?.definition ?? {};
  return {
    id: schedule?.schedule_id ?? '',
    when: on ?? (every === undefined ? 'cron' : 'every'),
    cron: cron ?? '0 2 * * *',
    every: every ?? '15m',
    timeZone: zone ?? (schedule ? 'UTC' : Intl.DateTimeFormat().resolvedOptions().timeZone),
    scenarios: scenarios.join(' '),
    tags: tags.join(' '),
  };
}

/** What the form does not show stays as it is. */
function toDefinition(draft: Draft, before: ScheduleDefinition): ScheduleDefinition {
  const { cron: _cron, every: _every, on: _on, time_zone: _zone, scenarios: _ids, tags: _tags, ...others } = before;
  const { jitter_s: _jitter, missed: _missed, ...withoutTimes } = others;
  const scenarios = splitList(draft.scenarios);
  const tags = splitList(draft.tags);
  const selection = { ...(scenarios.length === 0 ? {} : { scenarios }), ...(tags.length === 0 ? {} : { tags }) };
  if (draft.when === 'cron')
    return { ...others, cron: draft.cron.trim(), time_zone: draft.timeZone.trim(), ...selection };
  if (draft.when === 'every') return { ...others, every: draft.every.trim(), ...selection };
  return { ...withoutTimes, on: draft.when, ...selection };
}

type ScheduleDialogProps = {
  readonly instance: string;
  /** Undefined for a new one. */
  readonly schedule?: Schedule;
  readonly onClose: () => void;
};

export function ScheduleDialog({ instance, schedule, onClose }: ScheduleDialogProps) {
  const change = useChangeSchedules(instance);
  const [draft, setDraft] = useState(() => createDraft(schedule));
  const update = (part: Partial<Draft>): void => setDraft({ ...draft, ...part });
  const definition = toDefinition(draft, schedule?.definition ?? {});
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    const { id } = draft;
    const action = schedule
      ? ({ kind: 'change', id, definition } as const)
      : ({ kind: 'create', input: { schedule_id: id, ...definition } } as const);
    change.mutate(action, { onSuccess: (secret) => (secret === undefined ? onClose() : undefined) });
  };
  const title = schedule ? `Edit ${schedule.schedule_id}` : 'Add schedule';
  if (change.data !== undefined)
    return <SecretDialog instance={instance} id={draft.id} secret={change.data} onClose={onClose} />;
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        {schedule ? null : (
          <Field
            label="Name"
            hint="Lowercase letters, digits and hyphens."
            data-first
            required
            pattern="[a-z0-9]([a-z0-9\-]*[a-z0-9])?"
            maxLength={60}
            autoComplete="off"
            placeholder="nightly"
            value={draft.id}
            onChange={({ target }) => update({ id: target.value })}
          />
        )}
        <WhenFields draft={draft} update={update} />
        <Field
          label="Tags"
          hint="Scenarios with one of these tags run."
          autoComplete="off"
          value={draft.tags}
          onChange={({ target }) => update({ tags: target.value })}
        />
        <Field
          label="Scenarios"
          hint="IDs; * stands for any characters. Without tags and IDs, every scenario runs."
          autoComplete="off"
          value={draft.scenarios}
          onChange={({ target }) => update({ scenarios: target.value })}
        />
        <Preview instance={instance} definition={definition} />
        {change.error ? <ErrorNotice error={change.error} /> : null}
        <DialogActions onClose={onClose} isPending={change.isPending} pendingLabel="Saving…">
          {schedule ? 'Save' : 'Add schedule'}
        </DialogActions>
      </form>
    </Dialog>
  );
}

type WhenFieldsProps = { readonly draft: Draft; readonly update: (part: Partial<Draft>) => void };

function WhenFields({ draft, update }: WhenFieldsProps) {
  return (
    <>
      <Select label="When" value={draft.when} options={whenOptions} onSelect={(when) => update({ when })} />
      {draft.when === 'cron' ? (
        <>
          <Field
            label="Cron"
            hint="Minute, hour, day of month, month, day of week."
            required
            autoComplete="off"
            value={draft.cron}
            onChange={({ target }) => update({ cron: target.value })}
          />
          <Field
            label="Time zone"
            required
            autoComplete="off"
            value={draft.timeZone}
            onChange={({ target }) => update({ timeZone: target.value })}
          />
        </>
      ) : null}
      {draft.when === 'every' ? (
        <Field
          label="Interval"
          hint="Such as 15m, 6h or 1d."
          required
          autoComplete="off"
          value={draft.every}
          onChange={({ target }) => update({ every: target.value })}
        />
      ) : null}
    </>
  );
}

function Preview({ instance, definition }: { instance: string; definition: ScheduleDefinition }) {
  const { data, error } = useSchedulePreview(instance, definition);
  if (error) return <p className="hint">{error.message}</p>;
  return (
    <p className="hint" aria-live="polite">
      {data ? `${data.matching_scenarios} scenarios now.` : 'Looking…'}
      {(data?.next ?? []).map((time) => (
        <span key={time} className="failure-check">
          {formatTickTime(time, definition)}
        </span>
      ))}
    </p>
  );
}

type SecretDialogProps = {
  readonly instance: string;
  readonly id: string;
  readonly secret: string;
  readonly onClose: () => void;
};

function SecretDialog({ instance, id, secret, onClose }: SecretDialogProps) {
  return (
    <Dialog title={`Secret of ${id}`} onClose={onClose}>
      <p>Your pipeline signs its message with this secret. It is not shown again.</p>
      <p>
        <code className="wrap">{secret}</code> <CopyButton text={secret} />
      </p>
      <p>
        Send it to{' '}
        <code>
          POST /api/v1/instances/{instance}/schedules/{id}/webhook
        </code>
        .
      </p>
      <footer className="dialog-foot">
        <button type="button" className="strong" onClick={onClose}>
          Done
        </button>
      </footer>
    </Dialog>
  );
}
