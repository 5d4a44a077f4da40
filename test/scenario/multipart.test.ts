import t from 'tap';
import { bindTrigger } from '../../src/scenario/bind.ts';
import { completeScenario } from '../../src/scenario/completion.ts';
import { embedFiles, locateLine, removeFiles } from '../../src/scenario/embedded-files.ts';
import { formatScenario } from '../../src/scenario/format.ts';
import { parseScenario } from '../../src/scenario/parse.ts';
import { maxUploadBytes, type UploadFile } from '../../src/scenario/uploads.ts';

function write(fence: string, header = ''): string {
  return `# Scenario: POST thing

## Metadata

- ID: RT-POST-thing
- Layer: HTTP Ingestion

## TRIGGER

POST \${INGESTION_URL}/thing
X-Request-Id: \${correlation_id}
${header}
~~~multipart
${fence}
~~~

## EXPECT

### Runnable

- status=200
`;
}

const image = Buffer.from([0x89, 0x50, 0x0d, 0x0a, 0x00, 0xff, 0x7e, 0x7e, 0x7e]);
const uploads: Record<string, UploadFile> = {
  'photo.png': { base64: image.toString('base64') },
  'empty.bin': { base64: '' },
  'large.zip': { sizeBytes: maxUploadBytes + 1 },
};
const embed = (text: string): string =>
  embedFiles(
    text,
    () => undefined,
    (name) => uploads[name],
  );

function read(text: string) {
  const problems: { readonly code: string; readonly message: string; readonly line: number }[] = [];
  const scenario = parseScenario(text, { variables: 'any' }, ({ code, message, range }) =>
    problems.push({ code, message, line: range.start.line }),
  );
  return { scenario, problems };
}

function bind(fence: string, variables: Record<string, string> = {}) {
  const { scenario, problems } = read(embed(write(fence)));
  if (!scenario) throw new Error(problems.map(({ message }) => message).join());
  const bound = bindTrigger(scenario, { origin: 'http://t', correlationId: 'tr-1', variables });
  const type = bound.headers.find(([name]) => name === 'Content-Type')?.[1] ?? '';
  return { type, text: bound.body, bytes: Buffer.from(bound.bodyBytes ?? []) };
}

t.test('fields and files are the parts of the body, the bytes of files unchanged', async (t) => {
  const { type, text, bytes } = bind('title = Ann & Ben\nphoto = @photo.png\nempty=@empty.bin; type=x/y; filename=a.b');
  const form = await new Response(bytes, { headers: { 'Content-Type': type } }).formData();
  t.equal(form.get('title'), 'Ann & Ben');
  const [photo, empty] = [form.get('photo'), form.get('empty')];
  if (!(photo instanceof File) || !(empty instanceof File)) return t.fail('no file');
  t.same(Buffer.from(await photo.arrayBuffer()), image);
  t.match(photo, { name: 'photo.png', type: 'image/png' });
  t.match(empty, { name: 'a.b', type: 'x/y', size: 0 });
  t.match(text, 'name="photo"; filename="photo.png"\nContent-Type: image/png\n\n[9 bytes of photo.png]\n');
});

t.test('a value of a placeholder is a text: no file, no other part', async (t) => {
  const value = '@photo.png\r\n--vp-tr-1\r\nContent-Disposition: form-data; name="admin"\r\n\r\n1';
  const { type, bytes } = bind('note = ${NOTE}\nuser = @@ann', { NOTE: value });
  const form = await new Response(bytes, { headers: { 'Content-Type': type } }).formData();
  t.same([...form.keys()], ['note', 'user']);
  t.same([form.get('note'), form.get('user')], [value, '@ann']);
});

t.test('what cannot be sent is refused in its line', async (t) => {
  const report = (fence: string, header?: string) => {
    const { scenario, problems } = read(embed(write(fence, header)));
    t.equal(scenario, undefined, fence);
    return problems.map(({ code, message, line }) => [code, line, message]);
  };
  t.match(report('a = 1\nphoto: x'), [['SCENARIO_BODY_ENCODING', 15, /no `=`/]]);
  t.match(report('photo = @absent.png'), [['SCENARIO_FILE_ABSENT', 14, /absent\.png/]]);
  t.match(report('a = @large.zip'), [['SCENARIO_BODY_ENCODING', 14, /large\.zip.* has 600001 bytes/]]);
  t.match(report('a = @${FILE}'), [['SCENARIO_BODY_ENCODING', 14, /placeholder/]]);
  t.match(report('a = @photo.png; type=png'), [['SCENARIO_BODY_ENCODING', 14, /media type/]]);
  t.match(report('a = @photo.png; name=x'), [['SCENARIO_BODY_ENCODING', 14, /option/]]);
  t.match(report(''), [['SCENARIO_BODY_ENCODING', 13, /no field/]]);
  t.match(report('a = 1', 'Content-Type: multipart/form-data\n'), [['SCENARIO_BODY_ENCODING', 12, /boundary/]]);
});

t.test('with a type that has its boundary, the body is sent as it stands', async (t) => {
  const own = 'Content-Type: multipart/form-data; boundary=x\n';
  const { scenario, problems } = read(write('--x\nContent-Disposition: form-data; name="a"\n\n1\n--x--', own));
  t.same(problems, []);
  t.equal(scenario?.trigger.encoding, undefined);
});

t.test('files travel with the text, and not with what the author sees', async (t) => {
  const own = write('photo = @photo.png');
  const text = embed(own);
  t.match(text, '## FILES\n\n### @photo.png\n\n~~~base64\n');
  t.equal(removeFiles(text), own);
  t.equal(
    embedFiles(text, () => undefined),
    text,
    'without the folder the file stays',
  );
  const formatted = formatScenario(text, {}, () => {}) ?? '';
  t.equal(removeFiles(formatted), formatScenario(formatted, {}, () => {}) && removeFiles(formatted));
  t.same(read(formatted).scenario?.trigger.encoding, read(text).scenario?.trigger.encoding);
  t.match(locateLine('a/b.md', text, 14), { line: 14 });
});

t.test('a file of a used scenario has its path from that scenario', async (t) => {
  const steps =
    '## STEPS\n\n### upload\n\nPOST ${INGESTION_URL}/a\n\n~~~multipart\nphoto = @photo.png\n~~~\n\n- status=200\n';
  const own = write('a = 1').replace('## TRIGGER', '## STEPS\n\nuse: lib/upload.md\n\n## TRIGGER');
  const text = embedFiles(
    own,
    (name) => (name === 'lib/upload.md' ? steps : undefined),
    (name) => (name === 'lib/photo.png' ? uploads['photo.png'] : undefined),
  );
  t.match(read(text), {
    problems: [],
    scenario: { steps: [{ trigger: { encoding: { kind: 'multipart', fields: [{ filename: 'photo.png' }] } } }] },
  });
});

t.test('the editor proposes the fences of a body', async (t) => {
  const text = write('a = 1').replace('~~~multipart\na = 1\n~~~', '~~~mu');
  const completion = completeScenario(text, text.indexOf('~~~mu') + 5);
  t.match(completion?.options, [{ label: '~~~multipart', insert: /@<file>/ }]);
});
