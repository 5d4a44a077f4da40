import t from 'tap';
import { buildScenarioText, codes, listDiagnostics, parseValid, read } from './samples.ts';

const layer = '- Layer: HTTP Ingestion';

t.test('keys may have marks or none, in any case', async (t) => {
  for (const key of ['ID', '**ID**', '__ID__', '*ID*', '`ID`', 'id', '**Id**']) {
    t.equal(parseValid(buildScenarioText({ metadata: `- ${key}: RT-1\n${layer}` })).id, 'RT-1', key);
  }
  t.equal(parseValid(buildScenarioText({ metadata: `- **ID:** RT-1\n${layer}` })).id, 'RT-1');
  t.equal(parseValid(buildScenarioText({ metadata: `- ID :RT-1\n${layer}` })).id, 'RT-1');
});

t.test('every kind of bullet is accepted, and code marks around a value are not part of it', async (t) => {
  const metadata = '* ID: `RT-1`\n\n  + Layer:  http  ingestion\n2. Tags: `a`, b c,a';
  t.match(parseValid(buildScenarioText({ metadata })), { id: 'RT-1', layer: 'HTTP Ingestion', tags: ['a', 'b', 'c'] });
});

t.test('tags may be missing or empty', async (t) => {
  t.same(parseValid(buildScenarioText({ metadata: `- ID: a\n${layer}` })).tags, []);
  t.same(parseValid(buildScenarioText({ metadata: `- ID: a\n${layer}\n- Tags:` })).tags, []);
});

t.test('an ID is valid if the API accepts it', async (t) => {
  const validateId = (id: string): unknown => listDiagnostics(buildScenarioText({ metadata: `- ID: ${id}\n${layer}` }));
  for (const id of ['a', 'RT-GET-document', 'a.b_c-1', 'x'.repeat(100)]) t.same(validateId(id), [], id);
  for (const id of ['-a', 'a b', 'a/b', 'é', 'x'.repeat(101)])
    t.same(validateId(id), [['SCENARIO_ID_INVALID', id]], id);
});

t.test('a missing key is reported at the section, a missing value at its key', async (t) => {
  t.same(codes(buildScenarioText({ metadata: '' })), ['SCENARIO_METADATA_MISSING', 'SCENARIO_METADATA_MISSING']);
  t.same(codes(buildScenarioText({ metadata: `- ID:\n${layer}` })), ['SCENARIO_METADATA_MISSING']);
});

t.test('invalid entries, unknown keys and duplicates are reported', async (t) => {
  const metadata = `- ID: a\n${layer}\n- Id: b\n- Tgas: x\n- Nonsense: x\njust text\n- no colon\n- : x\n- **Tags: x`;
  t.same(listDiagnostics(buildScenarioText({ metadata })), [
    ['SCENARIO_METADATA_DOUBLED', 'Id'],
    ['SCENARIO_METADATA_UNKNOWN', 'Tgas'],
    ['SCENARIO_METADATA_UNKNOWN', 'Nonsense'],
    ['SCENARIO_METADATA_INVALID', 'just text'],
    ['SCENARIO_METADATA_INVALID', '- no colon'],
    ['SCENARIO_METADATA_INVALID', '- : x'],
    ['SCENARIO_METADATA_INVALID', '- **Tags: x'],
  ]);
});

t.test('the value of a misspelled key is still used', async (t) => {
  t.same(codes(buildScenarioText({ metadata: `- IDD: a\n${layer}` })), ['SCENARIO_METADATA_UNKNOWN']);
});

t.test('unknown layers and invalid tags are reported', async (t) => {
  const metadata = '- ID: a\n- Layer: Kafka\n- Tags: ok, #no, -no, déjà-vu';
  t.same(listDiagnostics(buildScenarioText({ metadata })), [
    ['SCENARIO_LAYER_UNKNOWN', 'Kafka'],
    ['SCENARIO_TAG_INVALID', '#no'],
    ['SCENARIO_TAG_INVALID', '-no'],
  ]);
});

t.test('a layer is found by its additions, in any order, spacing and case', async (t) => {
  const layer = (written: string): string =>
    parseValid(buildScenarioText({ metadata: `- ID: a\n- Layer: ${written}` })).layer;
  t.equal(layer('http   ingestion'), 'HTTP Ingestion');
  t.equal(layer('HTTP Ingestion+database'), 'HTTP Ingestion + Database');
  t.equal(layer('`HTTP Ingestion  +  LOG`'), 'HTTP Ingestion + Log');
  t.equal(layer('HTTP Ingestion + Log + Database'), 'HTTP Ingestion + Database + Log');
});

t.test('an unknown layer is reported with the most similar layer or the list of layers', async (t) => {
  const cure = (written: string): string | undefined => {
    const [problem] = read(buildScenarioText({ metadata: `- ID: a\n- Layer: ${written}` })).diagnostics;
    t.equal(problem?.code, 'SCENARIO_LAYER_UNKNOWN', written);
    return problem?.cure;
  };
  t.equal(cure('HTTP Ingestion + Logs'), 'did you mean `HTTP Ingestion + Log`?');
  t.equal(cure('HTTP Ingestion+DB'), 'did you mean `HTTP Ingestion + Database`?');
  t.equal(cure('HTTP'), 'did you mean `HTTP Ingestion`?');
  t.equal(cure('log and databse'), 'did you mean `HTTP Ingestion + Database + Log`?');
  for (const layer of ['HTTP + Kafka', 'Kafka', 'x'.repeat(5000)])
    t.match(cure(layer), /^the layers are `HTTP Ingestion`, /);
  t.ok(cure('HTTP Ingestion + Log + Log'));
  t.ok(cure('HTTP Ingestion +'));
});
