// Drives ioredis and node-redis over all types of data: node types.mjs PORT. Exits with 0 and prints "ok" where all is well.
import assert from 'node:assert/strict';
import Redis from 'ioredis';
import { createClient } from 'redis';

const port = Number(process.argv[2]);
const patienceMs = 300_000;
const fields = Object.fromEntries(Array.from({ length: 300 }, (_, i) => [`field${i}`, `value${i}`]));
const names = Object.keys(fields).sort();

// What the other connection asked for waits in the server.
async function untilBlocked(client) {
  const limit = Date.now() + patienceMs;
  while (!(await client.info('clients')).includes('blocked_clients:1'))
    assert.ok(Date.now() < limit, 'no client blocks');
}

async function ioredis() {
  const options = { lazyConnect: true, connectTimeout: patienceMs };
  const client = new Redis(port, '127.0.0.1', options);
  await client.connect();
  const other = client.duplicate();
  await other.connect();
  await ioredisCollections(client, other);
  await ioredisStream(client, other);
  other.disconnect();
  await client.quit();
}

async function ioredisCollections(client, other) {
  assert.equal(await client.rpush('io:l', 'a', 'b', 'c'), 3);
  assert.deepEqual(await client.lrange('io:l', 0, -1), ['a', 'b', 'c']);
  const popped = other.blpop('io:none', 'io:later', 0);
  await untilBlocked(client);
  await client.rpush('io:later', 'now');
  assert.deepEqual(await popped, ['io:later', 'now']);
  assert.equal(await client.lmove('io:l', 'io:m', 'LEFT', 'RIGHT'), 'a');
  await client.hset('io:h', fields);
  assert.deepEqual(await client.hgetall('io:h'), fields);
  assert.deepEqual(await client.hmget('io:h', 'field1', 'none'), ['value1', null]);
  await client.sadd('io:s', names);
  assert.deepEqual((await client.smembers('io:s')).sort(), names);
  await client.sadd('io:t', 'field7', 'none');
  assert.deepEqual(await client.sinter('io:s', 'io:t'), ['field7']);
  await client.zadd('io:z', ...names.flatMap((name, i) => [i / 2, name]));
  assert.deepEqual(await client.zrange('io:z', 0, 1, 'WITHSCORES'), [names[0], '0', names[1], '0.5']);
  assert.equal(await client.zscore('io:z', names[3]), '1.5');
  assert.equal(await client.geoadd('io:g', 13.361389, 38.115556, 'Palermo', 15.087269, 37.502669, 'Catania'), 2);
  assert.deepEqual(await client.geosearch('io:g', 'FROMLONLAT', 15, 37, 'BYRADIUS', 200, 'km', 'ASC'),
    ['Catania', 'Palermo']);
  assert.equal(await client.pfadd('io:p', 'a', 'b', 'c'), 1);
  assert.equal(await client.pfcount('io:p'), 3);
  for (const stream of [client.hscanStream('io:h'), client.sscanStream('io:s'), client.zscanStream('io:z')]) {
    const found = new Set();
    for await (const part of stream) part.forEach((item) => found.add(item));
    assert.deepEqual([...found].filter((item) => item in fields).sort(), names);
  }
}

async function ioredisStream(client, other) {
  await client.xgroup('CREATE', 'io:x', 'g', '$', 'MKSTREAM');
  const read = other.xreadgroup('GROUP', 'g', 'c', 'BLOCK', 0, 'STREAMS', 'io:x', '>');
  await untilBlocked(client);
  const id = await client.xadd('io:x', '*', 'f', 'v');
  assert.deepEqual(await read, [['io:x', [[id, ['f', 'v']]]]]);
  assert.deepEqual(await client.xpending('io:x', 'g'), [1, id, id, [['c', '1']]]);
  assert.deepEqual(await client.xautoclaim('io:x', 'g', 'd', 0, '0'), ['0-0', [[id, ['f', 'v']]], []]);
  assert.equal(await client.xack('io:x', 'g', id), 1);
  assert.deepEqual(await client.xpending('io:x', 'g'), [0, null, null, null]);
}

async function nodeRedis(RESP) {
  const client = createClient({ url: `redis://127.0.0.1:${port}`, RESP, socket: { connectTimeout: patienceMs } });
  await client.connect();
  const other = client.duplicate();
  await other.connect();
  await client.flushDb();
  await nodeRedisCollections(client, other);
  await nodeRedisScans(client);
  await nodeRedisStream(client, other, RESP);
  await other.quit();
  await client.quit();
}

async function nodeRedisCollections(client, other) {
  assert.equal(await client.rPush('nr:l', ['a', 'b', 'c']), 3);
  assert.deepEqual(await client.lRange('nr:l', 0, -1), ['a', 'b', 'c']);
  const popped = other.blPop(['nr:none', 'nr:later'], 0);
  await untilBlocked(client);
  await client.lPush('nr:later', 'now');
  assert.deepEqual({ ...(await popped) }, { key: 'nr:later', element: 'now' });
  await client.hSet('nr:h', fields);
  assert.deepEqual({ ...(await client.hGetAll('nr:h')) }, fields);
  await client.sAdd('nr:s', names);
  assert.deepEqual([...(await client.sMembers('nr:s'))].sort(), names);
  assert.equal(await client.sIsMember('nr:s', 'field7'), 1);
  await client.zAdd('nr:z', names.map((value, i) => ({ value, score: i / 2 })));
  assert.deepEqual(await client.zRangeWithScores('nr:z', 0, 1),
    [{ value: names[0], score: 0 }, { value: names[1], score: 0.5 }]);
  assert.equal(await client.zScore('nr:z', names[3]), 1.5);
  assert.deepEqual(await client.zPopMax('nr:z'), { value: names[299], score: 149.5 });
  await client.zAdd('nr:z', { value: names[299], score: Infinity });
  await client.geoAdd('nr:g', [{ longitude: 13.361389, latitude: 38.115556, member: 'Palermo' },
    { longitude: 15.087269, latitude: 37.502669, member: 'Catania' }]);
  assert.deepEqual(await client.geoSearch('nr:g', { longitude: 15, latitude: 37 }, { radius: 200, unit: 'km' },
    { SORT: 'ASC' }), ['Catania', 'Palermo']);
  assert.equal(await client.geoDist('nr:g', 'Palermo', 'Catania'), 166274.1516);
  assert.ok(await client.pfAdd('nr:p', ['a', 'b', 'c']));
  assert.equal(await client.pfCount('nr:p'), 3);
}

async function nodeRedisScans(client) {
  const found = { h: new Map(), s: new Set(), z: new Map() };
  for await (const part of client.hScanIterator('nr:h')) part.forEach((e) => found.h.set(e.field, e.value));
  for await (const part of client.sScanIterator('nr:s')) part.forEach((member) => found.s.add(member));
  for await (const part of client.zScanIterator('nr:z')) part.forEach((e) => found.z.set(e.value, e.score));
  assert.deepEqual(Object.fromEntries(found.h), fields);
  assert.deepEqual([...found.s].sort(), names);
  assert.deepEqual([...found.z.keys()].sort(), names);
  assert.equal(found.z.get(names[299]), Infinity);
}

async function nodeRedisStream(client, other, RESP) {
  await client.xGroupCreate('nr:x', 'g', '$', { MKSTREAM: true });
  const read = other.xReadGroup('g', 'c', { key: 'nr:x', id: '>' }, { BLOCK: 0 });
  await untilBlocked(client);
  const id = await client.xAdd('nr:x', '*', { f: 'v' });
  const reply = await read;
  // It gives the map of RESP3 as it is.
  if (RESP === 3) assert.deepEqual({ ...reply }, { 'nr:x': [[id, ['f', 'v']]] });
  else assert.deepEqual([reply[0].name, reply[0].messages[0].id], ['nr:x', id]);
  const pending = await client.xPending('nr:x', 'g');
  assert.deepEqual([pending.pending, pending.firstId, pending.lastId], [1, id, id]);
  const claimed = await client.xAutoClaim('nr:x', 'g', 'd', 0, '0');
  assert.deepEqual([claimed.nextId, claimed.messages[0].id], ['0-0', id]);
  assert.equal((await client.xPendingRange('nr:x', 'g', '-', '+', 9))[0].consumer, 'd');
  assert.equal(await client.xAck('nr:x', 'g', id), 1);
  assert.equal((await client.xPending('nr:x', 'g')).pending, 0);
}

await ioredis();
await nodeRedis(2);
await nodeRedis(3);
console.log('ok');
