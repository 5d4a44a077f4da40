import { useMemo } from 'react';
import { formatDuration } from '../../report/measures.ts';
import { formatTemplate } from '../../scenario/format-template.ts';
import type { Scenario, Trigger } from '../../scenario/scenario.ts';
import { parseScenarioText } from './parse-scenario-text.ts';

/** A parsed scenario: request, checks, queries and prose. */
export function ScenarioView({ text }: { text: string }) {
  const { scenario } = useMemo(() => parseScenarioText(text), [text]);
  if (!scenario) return <p className="faint">The text has errors. Open Source to see them.</p>;
  return (
    <article className="rendered">
      <p className="rendered-title">{scenario.title}</p>
      <dl className="facts-list">
        <dt>Layer</dt>
        <dd>{scenario.layer}</dd>
        <dt>Tags</dt>
        <dd>{scenario.tags.length === 0 ? 'none' : scenario.tags.join(', ')}</dd>
        {scenario.owner === undefined ? null : (
          <>
            <dt>Owner</dt>
            <dd>{scenario.owner}</dd>
          </>
        )}
        {scenario.links === undefined ? null : (
          <>
            <dt>Links</dt>
            <dd>
              {scenario.links.map((link) => (
                <a key={link} href={link} rel="noreferrer noopener" className="scenario-link">
                  {link}
                </a>
              ))}
            </dd>
          </>
        )}
        <dt>Timeout</dt>
        <dd>{formatDuration(scenario.timeoutMs)}</dd>
      </dl>
      <StepList title="Steps" steps={scenario.steps} />
      <h2>Request</h2>
      <Request trigger={scenario.trigger} />
      <h2>Checks</h2>
      <CheckList checks={scenario.checks} />
      <Cases cases={scenario.cases} />
      <Queries queries={scenario.queries} />
      <Prose title="Verify" text={removeQueryBlocks(scenario.verify, scenario.queries.length)} />
      {scenario.cleanupSteps.length > 0 ? (
        <StepList title="Cleanup" steps={scenario.cleanupSteps} />
      ) : (
        <Prose title="Cleanup" text={scenario.cleanup} />
      )}
    </article>
  );
}

/** The table of CASES. */
function Cases({ cases }: Pick<Scenario, 'cases'>) {
  const columns = [...(cases[0]?.values.keys() ?? [])];
  if (cases.length === 0) return null;
  return (
    <>
      <h2>Cases</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
      <section className="table-scroll" aria-label="Cases" tabIndex={0}>
        <table className="table rows-table">
          <thead>
            <tr>
              {columns.map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {cases.map(({ values, range }) => (
              <tr key={range.start.offset}>
                {columns.map((name) => (
                  <td key={name}>{values.get(name)?.text}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </section>
    </>
  );
}

function CheckList({ checks }: Pick<Scenario, 'checks'>) {
  return (
    <ul className="check-list">
      {checks.map(({ text: check, range }) => (
        <li key={range.start.offset}>
          <code>{check}</code>
        </li>
      ))}
    </ul>
  );
}

/** The requests before the trigger, or those of the cleanup. */
function StepList({ title, steps }: { title: string; steps: Scenario['steps'] }) {
  if (steps.length === 0) return null;
  return (
    <>
      <h2>{title}</h2>
      {steps.map(({ name, trigger, checks, range }) => (
        <section key={range.start.offset} aria-label={name}>
          <h3>{name}</h3>
          <Request trigger={trigger} />
          <CheckList checks={checks} />
        </section>
      ))}
    </>
  );
}

function formatRequestLine({ method, path, tool, grpc }: Pick<Trigger, 'method' | 'path' | 'tool' | 'grpc'>): string {
  if (grpc) return `GRPC ${grpc.service}/${grpc.rpc}`;
  return tool === undefined ? `${method} \${INGESTION_URL}${formatTemplate(path)}` : `CALL ${tool}`;
}

function Request({ trigger: { method, path, headers, body, tool, grpc } }: { trigger: Trigger }) {
  const lines = [
    formatRequestLine({ method, path, tool, grpc }),
    ...(grpc?.proto ? [`proto: ${grpc.proto[0]?.path}`] : []),
    ...headers.map(({ name, value }) => `${name}: ${formatTemplate(value)}`),
    ...(body === undefined ? [] : ['', formatTemplate(body)]),
  ];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <pre className="code" tabIndex={0}>
      {lines.join('\n')}
    </pre>
  );
}

function Queries({ queries }: { queries: Scenario['queries'] }) {
  if (queries.length === 0) return null;
  return (
    <>
      <h2>Queries</h2>
      {queries.map(({ name, sql, range }) => (
        <section key={range.start.offset} aria-label={`Query ${name}`}>
          <h3>{name}</h3>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys */}
          <pre className="code" tabIndex={0}>
            {formatTemplate(sql)}
          </pre>
        </section>
      ))}
    </>
  );
}

/** The queries have a section of their own. */
function removeQueryBlocks(verify: string, count: number): string {
  return count === 0 ? verify : verify.replaceAll(/^ {0,3}(`{3,}|~{3,})[\s\S]*?^ {0,3}\1[ \t]*$/gm, '').trim();
}

/** Prose is never executed and is displayed unchanged. */
function Prose({ title, text }: { title: string; text: Scenario['verify'] }) {
  if (text === '') return null;
  return (
    <>
      <h2>{title}</h2>
      <p className="prose">{text}</p>
    </>
  );
}
