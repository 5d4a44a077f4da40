import { useMemo } from 'react';
import type { Scenario, Trigger } from '../../scenario/scenario.ts';
import { durationText } from '../words/moments.ts';
import { readScenario, templateText } from './read.ts';

/** A scenario as it is meant: request, checks, prose. */
export function Rendered({ text }: { text: string }) {
  const { scenario } = useMemo(() => readScenario(text), [text]);
  if (!scenario) return <p className="faint">The text has errors; Source shows them at their lines.</p>;
  return (
    <article className="rendered">
      <p className="rendered-title">{scenario.title}</p>
      <dl className="facts-list">
        <dt>Layer</dt>
        <dd>{scenario.layer}</dd>
        <dt>Tags</dt>
        <dd>{scenario.tags.length === 0 ? 'none' : scenario.tags.join(', ')}</dd>
        <dt>Timeout</dt>
        <dd>{durationText(scenario.timeoutMs)}</dd>
      </dl>
      <h2>Request</h2>
      <Request trigger={scenario.trigger} />
      <h2>Checks</h2>
      <ul className="check-list">
        {scenario.checks.map(({ text: check, range }) => (
          <li key={range.start.offset}>
            <code>{check}</code>
          </li>
        ))}
      </ul>
      <Queries queries={scenario.queries} />
      <Prose title="Verify" text={withoutQueries(scenario.verify, scenario.queries.length)} />
      <Prose title="Cleanup" text={scenario.cleanup} />
    </article>
  );
}

function Request({ trigger: { method, path, headers, body } }: { trigger: Trigger }) {
  const lines = [
    `${method} \${INGESTION_URL}${templateText(path)}`,
    ...headers.map(({ name, value }) => `${name}: ${templateText(value)}`),
    ...(body === undefined ? [] : ['', templateText(body)]),
  ];
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keys
    <pre className="code" tabIndex={0}>
      {lines.join('\n')}
    </pre>
  );
}

/** What is asked of the database after the answer. */
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
            {templateText(sql)}
          </pre>
        </section>
      ))}
    </>
  );
}

/** They are shown by themselves. */
function withoutQueries(verify: string, count: number): string {
  return count === 0 ? verify : verify.replaceAll(/^ {0,3}(`{3,}|~{3,})[\s\S]*?^ {0,3}\1[ \t]*$/gm, '').trim();
}

/** Never executed, so it is shown as it stands. */
function Prose({ title, text }: { title: string; text: Scenario['verify'] }) {
  if (text === '') return null;
  return (
    <>
      <h2>{title}</h2>
      <p className="prose">{text}</p>
    </>
  );
}
