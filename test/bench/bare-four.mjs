/**
 * The floor of `vp run --local`: the same four requests with the same headers, and the same six checks each, by hand.
 *
 *     node bare-four.mjs <base url> <bearer token> <sets> <at the same time>
 */
const [baseUrl, token, sets, jobs] = process.argv.slice(2);
const counted = /^[0-9]+$/;
const fromOne = /^[1-9][0-9]*$/;
const collections = ['document', 'envelope', 'folder', 'template'];
let sent = 0;
let passed = 0;

async function judge(collection, id) {
  const response = await fetch(`${baseUrl}/api/v2/${collection}`, {
    headers: { 'X-Correlation-Id': id, 'User-Agent': 'bare', Authorization: `Bearer ${token}`, 'X-Request-Id': id },
    redirect: 'manual',
  });
  const body = JSON.parse(await response.text());
  return (
    response.status === 200 &&
    body.data !== undefined &&
    counted.test(String(body.count)) &&
    fromOne.test(String(body.currentPage)) &&
    fromOne.test(String(body.perPage)) &&
    counted.test(String(body.totalPages))
  );
}

async function work() {
  while (sent < sets * collections.length) {
    const place = sent++;
    if (await judge(collections[place % collections.length], `tr-bare-${place}`)) passed += 1;
  }
}

await Promise.all(Array.from({ length: Number(jobs) }, work));
console.log(`${passed} of ${sent} passed`);
process.exitCode = passed === sent ? 0 : 1;
