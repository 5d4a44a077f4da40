import { type SubmitEvent, useState } from 'react';
import { formatBadgeMarkdown } from '../../contract/badge-markdown.ts';
import {
  maxStaleAfterS,
  maxStatusPageDays,
  maxStatusPageTitleLength,
  maxSuiteTextLength,
} from '../../contract/status-page-limits.ts';
import type { CreateStatusPageRequest, CreateStatusPageResponse } from '../../contract/status-pages-api.ts';
import { nowMs } from '../browser.ts';
import { CopyButton } from '../components/copy-button.tsx';
import { Dialog } from '../components/dialog.tsx';
import { DialogActions } from '../components/dialog-actions.tsx';
import { ErrorNotice } from '../components/error-notice.tsx';
import { Field } from '../components/field.tsx';
import { OneTimeDialog } from '../components/one-time-dialog.tsx';
import { formatDayAhead } from '../text/format-day.ts';
import { splitTags } from './status-page-text.ts';
import { useCreateStatusPage } from './use-status-pages.ts';

const proposedDays = 90;
const secondsPerHour = 3600;

type Draft = {
  readonly title: string;
  readonly day: string;
  readonly tags: string;
  readonly branch: string;
  readonly suite: string;
  readonly staleHours: string;
};

function toRequest({ title, day, tags, branch, suite, staleHours }: Draft): CreateStatusPageRequest {
  const tagList = splitTags(tags);
  return {
    ...{ title, until: `${day}T23:59:59.999Z` },
    ...(tagList.length === 0 ? {} : { tags: tagList }),
    ...(branch.trim() === '' ? {} : { branch: branch.trim() }),
    ...(suite.trim() === '' ? {} : { suite: suite.trim() }),
    ...(staleHours === '' ? {} : { stale_after_s: Math.round(Number(staleHours) * secondsPerHour) }),
  };
}

type NewStatusPageDialogProps = { readonly instance: string; readonly onClose: () => void };

export function NewStatusPageDialog({ instance, onClose }: NewStatusPageDialogProps) {
  const create = useCreateStatusPage(instance);
  const [openedMs] = useState(nowMs);
  const [draft, setDraft] = useState<Draft>({
    ...{ title: instance, day: formatDayAhead(openedMs, proposedDays) },
    ...{ tags: '', branch: '', suite: '', staleHours: '' },
  });
  const update = (part: Partial<Draft>): void => setDraft({ ...draft, ...part });
  const submit = (event: SubmitEvent): void => {
    event.preventDefault();
    create.mutate(toRequest(draft));
  };
  if (create.data) return <LinksDialog created={create.data} onClose={onClose} />;
  return (
    <Dialog title="Create status page" onClose={onClose}>
      <form onSubmit={submit}>
        <Field
          label="Title"
          hint="Public, on the page and the badge."
          data-first
          required
          maxLength={maxStatusPageTitleLength}
          autoComplete="off"
          value={draft.title}
          onChange={({ target }) => update({ title: target.value })}
        />
        <Field
          label="Until the end of"
          hint="A day in UTC, at most a year ahead. Then the link shows nothing any more."
          type="date"
          required
          min={formatDayAhead(openedMs, 0)}
          max={formatDayAhead(openedMs, maxStatusPageDays)}
          value={draft.day}
          onChange={({ target }) => update({ day: target.value })}
        />
        <SelectionFields draft={draft} update={update} />
        <PublicNotice />
        {create.error ? <ErrorNotice error={create.error} /> : null}
        <DialogActions
          onClose={onClose}
          isPending={create.isPending}
          pendingLabel="Creating…"
          isDisabled={draft.title.trim() === ''}
        >
          Make public
        </DialogActions>
      </form>
    </Dialog>
  );
}

function SelectionFields({ draft, update }: { draft: Draft; update: (part: Partial<Draft>) => void }) {
  return (
    <>
      <Field
        label="Tags"
        hint="Scenarios with one of them, separated by commas. Empty: every scenario."
        autoComplete="off"
        value={draft.tags}
        onChange={({ target }) => update({ tags: target.value })}
      />
      <Field
        label="Branch"
        hint="Only runs of suites of this branch, such as main. Empty: all runs."
        maxLength={maxSuiteTextLength}
        autoComplete="off"
        value={draft.branch}
        onChange={({ target }) => update({ branch: target.value })}
      />
      <Field
        label="Suite"
        hint="Only runs of suites with this name, such as that of a schedule. Empty: all runs."
        maxLength={maxSuiteTextLength}
        autoComplete="off"
        value={draft.suite}
        onChange={({ target }) => update({ suite: target.value })}
      />
      <Field
        label="Stale after hours"
        hint="The page says stale if no run has ended for this time. Empty: twice the usual interval."
        type="number"
        min={0.1}
        max={maxStaleAfterS / secondsPerHour}
        step="any"
        value={draft.staleHours}
        onChange={({ target }) => update({ staleHours: target.value })}
      />
    </>
  );
}

function PublicNotice() {
  return (
    <div className="help">
      <p>
        <b>Everybody with the link can read:</b> the title, the titles of the scenarios (such as <i>GET invoices</i>),
        their states, last runs and pass rates, and when and in which of five ways the last ones failed.
      </p>
      <p>
        <b>Never:</b> ids, texts, checks, messages, requests, responses, addresses, versions, the name of the
        environment, or names of people.
      </p>
    </div>
  );
}

type LinksDialogProps = { readonly created: CreateStatusPageResponse; readonly onClose: () => void };

function LinksDialog({ created, onClose }: LinksDialogProps) {
  const { status_page: page, url, badge_url: badgeUrl } = created;
  const links = [
    ['Page', url],
    ['Badge', badgeUrl],
    ['Markdown for a README', formatBadgeMarkdown(created)],
  ] as const;
  return (
    <OneTimeDialog title={page.title} pronoun="them" onClose={onClose}>
      <p>The links are shown only once.</p>
      <p>
        <img src={new URL(badgeUrl).pathname} alt={`Badge of ${page.title}`} height={20} />
      </p>
      {links.map(([name, text]) => (
        <div key={name}>
          <h3>{name}</h3>
          <p className="secret">
            <code className="wrap">{text}</code> <CopyButton text={text} />
          </p>
        </div>
      ))}
    </OneTimeDialog>
  );
}
