/** Checks of elements, with the parser that the executor loads. */
import t from 'tap';
import { emptyObservation, type Observation } from '../../../src/check/observation.ts';
import { createElementSelector } from '../../../src/executor/response/element-selector.ts';
import { parseBody } from '../../../src/executor/response/parse-body.ts';
import { judgeCheck, observeBody, parse, parseValid } from '../check-fixtures.ts';

const selectElements = createElementSelector();

function observe(text: string, type = 'text/html'): Observation {
  const { observed } = parseBody(Buffer.from(text), type);
  return { ...emptyObservation, headers: [['Content-Type', type]], body: observed, selectElements };
}

const page = observe(`<!doctype html><title>Shop</title>
<h1 id=head>
  All &amp; every <b>order</b></h1>
<ul class="orders"><li data-id="1">lamp<li data-id="2" class="open new">desk &#8364; 5</ul>
<a rel=next href="/orders?page=2">Next</a>`);

const judge = (check: string, observation = page) => judgeCheck(parseValid(check), observation);
const passes = (check: string, observation = page): boolean => judge(check, observation).passed;

t.test('the text of the one element is tested, its spaces collapsed and its entities decoded', async (t) => {
  for (const check of [
    'body css "h1" equals All & every order',
    'body css "h1" = All & every order',
    'body css "#head > b" equals order',
    'body css "li.open" containing €',
    'body css "li:nth-of-type(2)" matching ^desk',
    'body css \'a[rel="next"]\' @href equals /orders?page=2',
    'body css "a" @href containing page',
    'body css "li" length = 2',
    'body css "h1"',
    'body css "h2" absent',
    'body css "a" @target absent',
    'body every css "li" @data-id matching ^[0-9]+$',
    'body some css "li" containing desk',
    'body css ".orders li:not(.open)" equals lamp',
  ])
    t.ok(passes(check), check);
  for (const check of [
    'body css "h1" equals all & every order',
    'body css "h1" absent',
    'body css "h2"',
    'body css "h2" matching .*',
    'body css "h2" @id absent',
    'body css "a" @href absent',
    'body css "a" @target matching .*',
    'body css "li" length = 3',
    'body every css "li" containing desk',
    'body every css "td" containing a',
    'body some css "td" containing a',
    'body some css "li" containing chair',
  ])
    t.notOk(passes(check), check);
});

t.test('a test of one element does not choose among several', async (t) => {
  t.match(judge('body css "li" containing desk'), {
    passed: false,
    expected: 'an element `li` containing desk',
    actual: '2 elements; name one of them, or write `body some css …`',
  });
  t.match(judge('body every css "li" containing desk'), { actual: '"lamp", element 1 of 2' });
  t.match(judge('body some css "li" containing desk'), { actual: '"desk € 5", element 2 of 2' });
});

t.test('XML keeps its case, and what is cut never passes', async (t) => {
  const xml = '<?xml version="1.0"?><Order xmlns:s="u"><s:Total>9.50</s:Total><item/></Order>';
  const order = observe(xml, 'application/xml');
  t.ok(passes('body css "Order > s\\:Total" equals 9.50', order));
  t.ok(passes('body css "order" absent', order));
  for (const text of ['<a><b/>x/>', '<a>/>', '<a><b></a>', '<a><b/', '<a/', '<a b="/>'])
    t.match(judge('body css "x" absent', observe(text, 'text/xml')), { passed: false }, text);
  const cut = observe(xml.slice(0, -8), 'application/xml');
  for (const check of ['body css "Order > s\\:Total" equals 9.50', 'body css "x" absent', 'body css "item" length = 1'])
    t.match(judge(check, cut), { passed: false, actual: 'XML that is not complete: `<Order>` is not closed' });
});

t.test('entities that a document declares are not expanded', async (t) => {
  const bomb = `<?xml version="1.0"?><!DOCTYPE a [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;&a;&a;">
<!ENTITY x SYSTEM "file:///etc/passwd">]><a><c>&b;</c><d>&x;</d></a>`;
  const observation = observe(bomb, 'text/xml');
  t.ok(passes('body css "c" equals &b;', observation));
  t.ok(passes('body css "d" equals &x;', observation));
});

t.test('neither depth nor size nor a slow selector keeps the executor busy', async (t) => {
  t.match(judge('body css "b" length = 1', observe('<b>'.repeat(100_000))), { passed: false, actual: /nested deeper/ });
  t.match(judge('body css "b" absent', observe(`<p>${' '.repeat(4_200_000)}`)), {
    passed: false,
    actual: /of more than/,
  });
  const flat = observe(`<ul>${'<li>a</li>'.repeat(100_000)}</ul>`);
  t.match(judge('body css "li:nth-last-of-type(50000)" length = 1', flat), {
    passed: false,
    actual: /too many elements/,
  });
  const nested = observe('<div>a'.repeat(400) + '</div>'.repeat(400));
  const chain = `body css "${'div '.repeat(12)}p" length = 0`;
  t.ok(judge(chain, nested).actual.length > 0);
  const texts = observe('<i>'.repeat(400) + 'a'.repeat(100_000) + '</i>'.repeat(400));
  t.match(judge('body every css "i" containing a', texts), { passed: false, actual: /too many elements/ });
});

t.test('without elements nothing passes', async (t) => {
  const noText = /an empty body|JSON body|without elements|not text|not read/;
  const binary = { ...page, body: parseBody(Buffer.from([0x89, 0xff, 0xfe]), undefined).observed };
  const { selectElements: _select, ...unread } = page;
  for (const observation of [
    { ...page, body: emptyObservation.body },
    observeBody({ a: 1 }),
    observe('oops'),
    binary,
    unread,
  ])
    t.match(judge('body css "h1" absent', observation), { passed: false, actual: noText });
});

t.test('secrets are concealed before they are compared', async (t) => {
  const conceal = (text: string): string => text.replaceAll('s3cret', '[redacted]');
  const observation = { ...observe('<p title="s3cret">s3cret</p>'), conceal };
  t.match(judge('body css "p" containing s3', observation), { passed: false, actual: '"[redacted]"' });
  t.match(judge('body css "p" @title containing s3', observation), { passed: false, actual: '"[redacted]"' });
});

t.test('malformed checks are refused where they are wrong', async (t) => {
  for (const selector of ['', 'a[', 'a::before', ':has(b)', 'svg|a', ':nth-child(x)', ':contains(a)', 'a'.repeat(301)])
    t.match(parse(`body css "${selector}" equals x`).problems, [['SCENARIO_CHECK_SELECTOR']], selector);
  t.match(parse('body css "h1" containing').problems, [['SCENARIO_CHECK_OPERAND_MISSING']]);
  t.match(parse('body css h1 equals x').problems, [['SCENARIO_CHECK_SELECTOR', 'h1 equals x']]);
  t.match(parse('body every css "li" absent').problems, [['SCENARIO_CHECK_UNKNOWN']]);
  t.match(parse('body css "li" > 5').problems, [['SCENARIO_CHECK_COMPARISON']]);
});
