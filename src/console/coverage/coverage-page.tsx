import { useState } from 'react';
import { Link } from 'wouter';
import type { ScenarioEntry } from '../../contract/api.ts';
import { CommandLine, isControlPlaneLocal } from '../components/command-line.tsx';
import { EmptyState } from '../components/empty-state.tsx';
import { useDraftAccount } from '../drafts/draft-storage.ts';
import { QueryContent } from '../hub/query-content.tsx';
import { RemainingSteps } from '../overview/first-steps.tsx';
import { scenarioPath, scenariosPath } from '../paths.ts';
import { useCatalogue } from '../scenarios/use-catalogue.ts';
import { useRememberInstance } from '../shell/current-instance.ts';
import { formatCount } from '../text/format.ts';
import { type ChosenDocument, readStoredDocument, storeDocument } from './api-document.ts';
import { CoverageTable } from './coverage-table.tsx';
import { CoverageTotalList } from './coverage-totals.tsx';
import { DocumentInput } from './document-input.tsx';
import { type CatalogueCoverage, useCoverage } from './use-coverage.ts';

/** Which operations, statuses and fields of an OpenAPI document the scenarios of an environment check. */
export default function CoveragePage({ instance }: { instance: string }) {
  const account = useDraftAccount();
  const [document, setDocument] = useState(() => readStoredDocument(account, instance));
  const catalogue = useCatalogue(instance);
  const choose = (name: string, text: string): void => setDocument(storeDocument(account, instance, name, text));
  useRememberInstance(instance);
  return (
    <div className="landing">
      <title>{`Coverage · ${instance} · vp`}</title>
      <p>
        <Link href={scenariosPath(instance)}>‹ Scenarios</Link>
      </p>
      <h1>
        Coverage <span className="faint">{instance}</span>
      </h1>
      {document === undefined ? (
        <EmptyState title="No OpenAPI document chosen">
          <p>Choose the document of the target to see which operations, statuses and fields the scenarios check.</p>
          <DocumentInput label="Choose an OpenAPI document" onDocument={choose} />
          <p className="hint">JSON or YAML, version 2 or 3. It stays in this browser.</p>
          <RemainingSteps id={instance} />
          {isControlPlaneLocal() ? (
            <>
              <p className="faint">Or from a terminal, for a folder of scenarios:</p>
              <CommandLine text="vp coverage openapi.yaml" />
            </>
          ) : null}
        </EmptyState>
      ) : (
        <>
          <div className="coverage-document">
            <span>
              <span className="mono">{document.name}</span>
              {document.isStored ? null : (
                <span className="hint"> is too large for the storage of this browser: choose it again next time</span>
              )}
            </span>
            <DocumentInput label="Choose another document" onDocument={choose} />
          </div>
          <QueryContent query={catalogue}>
            {(entries) => <Coverage instance={instance} document={document} entries={entries} />}
          </QueryContent>
        </>
      )}
    </div>
  );
}

type CoverageProps = {
  readonly instance: string;
  readonly document: ChosenDocument;
  readonly entries: readonly ScenarioEntry[];
};

function Coverage({ instance, document, entries }: CoverageProps) {
  const query = useCoverage(instance, document, entries);
  return (
    <QueryContent query={query}>
      {(coverage) => <CoverageContent instance={instance} coverage={coverage} />}
    </QueryContent>
  );
}

function CoverageContent({ instance, coverage }: { instance: string; coverage: CatalogueCoverage }) {
  const { title, totals, scenarioCount, unreadable, operations } = coverage;
  return (
    <>
      <section aria-label="Totals">
        <CoverageTotalList totals={totals} />
        <p className="hint" role="status">
          {title === '' ? '' : `${title}: `}
          {formatCount(operations.length, 'operation')} against {formatCount(scenarioCount, 'scenario')}. An operation
          is covered if a scenario sends it, a status if a check expects it, a field of the documented success if a
          check names it.
        </p>
        {unreadable.length > 0 ? (
          <p>
            {formatCount(unreadable.length, 'scenario')} cannot be read and {unreadable.length === 1 ? 'is' : 'are'} not
            counted:{' '}
            {unreadable.map((id) => (
              <Link key={id} href={scenarioPath(instance, id)} className="mono">
                {id}{' '}
              </Link>
            ))}
          </p>
        ) : null}
      </section>
      <CoverageTable instance={instance} operations={operations} />
    </>
  );
}
