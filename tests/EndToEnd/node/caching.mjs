// Drives node-redis's client-side cache against a server: node caching.mjs PORT. Prints "ok" where all is well.
import assert from 'node:assert/strict';
import { BasicClientSideCache, createClient } from 'redis';

const port = Number(process.argv[2]);
const cache = new BasicClientSideCache({ ttl: 0, maxEntries: 0, recordStats: true });
const url = `redis://127.0.0.1:${port}`;
const client = createClient({ url, RESP: 3, clientSideCache: cache });
const other = createClient({ url });
await client.connect();
await other.connect();

async function until(value) {
  while ((await client.get('cc:k')) !== value) await new Promise((resolve) => setTimeout(resolve, 1));
}

await other.set('cc:k', '0');
await until('0');
await client.get('cc:k');
const { hitCount } = cache.stats();
assert.ok(hitCount > 0, 'the second read comes from the cache');
for (let i = 1; i <= 200; i++) {
  await other.set('cc:k', `${i}`);
  await until(`${i}`);
  assert.equal(await client.get('cc:k'), `${i}`);
}
assert.ok(cache.stats().hitCount >= hitCount + 200, 'reads come from the cache');
await other.set('cc:k', 'expiring', { expiration: { type: 'PX', value: 20 } });
await until(null);
await other.set('cc:k', 'flushed');
await until('flushed');
await other.flushAll();
await until(null);
await client.quit();
await other.quit();
console.log('ok');
