/** Pages of runs do not read the runs that they leave out: SQLite has no statistics of a store, so indexes are named. */
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import t from 'tap';
import { isFinalState, runStates } from '../../../src/run/state.ts';
import { listRuns, type RunQuery } from '../../../src/store/control/runs/runs.ts';
import { controlStoreKind } from '../../../src/store/control/schema/control-schema.ts';
import { openDatabase } from '../../../src/store/engine.ts';
import { createRowReader } from '../../../src/store/row-reader.ts';
import type { Sql } from '../../../src/store/sql.ts';

const planReader = createRowReader(Type.Object({ detail: Type.String() }));

/** How SQLite finds the runs of a page, a line for each statement. */
function listPlans(sql: Sql, query: Omit<RunQuery, 'instance' | 'limit'>): string[] {
  const plans: string[] = [];
  const all = (text: string, ...values: Parameters<Sql['all']>[1][]): unknown[] => {
    const steps = planReader.all(sql, `EXPLAIN QUERY PLAN ${text}`, ...values).map(({ detail }) => detail);
    plans.push(steps.find((step) => /^(?:SEARCH|SCAN) r\b/.test(step)) ?? 'nothing');
    t.notOk(
      steps.some((step) => step.includes('TEMP B-TREE')),
      `nothing is sorted: ${steps.join('; ')}`,
    );
    return sql.all(text, ...values);
  };
  listRuns({ ...sql, all }, { ...query, instance: 'app', limit: 51 });
  return plans;
}

t.test('each page is read from the index that has only its runs', async (t) => {
  const database = openDatabase({ file: join(t.testdir(), 'control.db'), createKind: controlStoreKind });
  t.teardown(() => database.close());
  await database.read((sql) => {
    const everything = [undefined];
    const isPlan = (query: Parameters<typeof listPlans>[1], ...indexes: readonly string[]): void => {
      const plans = listPlans(sql, query);
      t.equal(plans.length, indexes.length, JSON.stringify(query));
      for (const [position, index] of indexes.entries()) t.match(plans[position], ` ${index} (`, JSON.stringify(query));
    };
    isPlan({ scenarios: everything }, 'runs_by_instance');
    isPlan({ scenarios: everything, states: runStates.filter(isFinalState) }, 'runs_by_instance');
    isPlan({ scenarios: everything, states: ['queued'] }, 'runs_queued');
    isPlan({ scenarios: everything, states: ['in_progress'] }, 'runs_one_in_progress');
    isPlan({ scenarios: everything, states: ['failed'], judged: true }, 'runs_failed');
    isPlan({ scenarios: everything, states: ['failed'], judged: false, beforeId: 9 }, 'runs_not_judged');
    isPlan({ scenarios: everything, states: ['cancelled'], sinceMs: 5 }, 'runs_cancelled');
    isPlan({ scenarios: ['RT-one'], states: ['queued'] }, 'runs_queued');
    isPlan({ scenarios: ['RT-one', 'RT-two'], states: ['failed'] }, ...Array(2).fill('runs_failed_by_scenario'));
    isPlan(
      { scenarios: ['RT-one'], states: runStates.filter(isFinalState) },
      ...['runs_passed_by_scenario', 'runs_failed_by_scenario', 'runs_cancelled_by_scenario'],
    );
    isPlan({ scenarios: everything, suite: 3, states: ['failed'] }, 'runs_by_suite');
  });
});
