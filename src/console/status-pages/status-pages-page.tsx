import { useState } from 'react';
import { Link } from 'wouter';
import type { StatusPage } from '../../contract/status-pages-api.ts';
import { AlternativeCommand } from '../components/command-line.tsx';
import { DataTable } from '../components/data-table.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { QueryContent } from '../hub/query-content.tsx';
import { useCanEditInstance } from '../session/use-session.ts';
import { useInstances, useRememberInstance } from '../shell/current-instance.ts';
import { NewStatusPageDialog } from './new-status-page-dialog.tsx';
import { StatusPageRow } from './status-page-row.tsx';
import { useStatusPages } from './use-status-pages.ts';

/** What people without an account can read of an environment. */
export default function StatusPagesPage({ instance }: { instance: string }) {
  const query = useStatusPages(instance);
  const { data: instances } = useInstances();
  const [isAdding, setIsAdding] = useState(false);
  const canChange = useCanEditInstance(instances?.find(({ instance_id: id }) => id === instance));
  useRememberInstance(instance);
  const add = canChange ? (
    <p>
      <button type="button" className="strong" onClick={() => setIsAdding(true)}>
        Create status page…
      </button>
    </p>
  ) : null;
  return (
    <div className="landing">
      <title>{`Status pages · ${instance} · vp`}</title>
      <p>
        <Link href="/settings/environments">‹ Environments</Link>
      </p>
      <section className="instance-head" aria-label={`Status pages of ${instance}`}>
        <h1>
          Status pages <span className="faint">{instance}</span>
        </h1>
        <span className="grow" />
        {query.data && query.data.length > 0 ? add : null}
      </section>
      <QueryContent query={query}>
        {(pages) =>
          pages.length === 0 ? (
            <EmptyState title="Nothing is public">
              <p>A status page and its badge show people without an account whether the application works.</p>
              {add ?? <p>Who may edit this environment can create one.</p>}
              {add ? (
                <AlternativeCommand
                  text={`vp status-pages create --title "${instance}" --until 90d --instance ${instance}`}
                />
              ) : null}
            </EmptyState>
          ) : (
            <StatusPageTable pages={pages} canChange={canChange} />
          )
        }
      </QueryContent>
      {isAdding ? <NewStatusPageDialog instance={instance} onClose={() => setIsAdding(false)} /> : null}
    </div>
  );
}

function StatusPageTable({ pages, canChange }: { pages: readonly StatusPage[]; canChange: boolean }) {
  return (
    <DataTable
      className="attention"
      columns={['Page', 'Until', 'Created', 'Last viewed', { label: 'Actions', isHidden: true }]}
    >
      {pages.map((page) => (
        <StatusPageRow key={page.status_page_id} page={page} canChange={canChange} />
      ))}
    </DataTable>
  );
}
