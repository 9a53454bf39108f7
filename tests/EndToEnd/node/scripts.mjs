// Drives the scripts and functions of ioredis and node-redis: node scripts.mjs PORT. Exits with 0 and prints "ok"
// where all is well.
import assert from 'node:assert/strict';
import Redis from 'ioredis';
import { createClient, defineScript } from 'redis';

const port = Number(process.argv[2]);

async function ioredis() {
  const client = new Redis({ host: '127.0.0.1', port, connectTimeout: 300_000, keyPrefix: 'io:' });
  client.defineCommand('move', {
    numberOfKeys: 2,
    lua: `local moved = redis.call('LRANGE', KEYS[1], 0, ARGV[1] - 1)
      if #moved > 0 then redis.call('RPUSH', KEYS[2], unpack(moved)); redis.call('LTRIM', KEYS[1], ARGV[1], -1) end
      return moved`,
  });
  client.defineCommand('echoAll', { lua: 'return {KEYS[1], ARGV[1], ARGV[2]}' });
  await client.rpush('a', 'one', 'two', 'three');
  assert.deepEqual(await client.move('a', 'b', 2), ['one', 'two']);
  assert.deepEqual(await client.lrange('b', 0, -1), ['one', 'two']);
  assert.deepEqual(await client.echoAll(1, 'k', 'x', 'y'), ['io:k', 'x', 'y']);
  // Found by its digest; sent again where the server has forgotten it.
  await client.script('FLUSH');
  assert.deepEqual(await client.move('a', 'b', 5), ['three']);
  const replies = await client.multi().set('n', 1).move('b', 'c', 1).incr('n').exec();
  assert.deepEqual(replies, [[null, 'OK'], [null, ['one']], [null, 2]]);
  const pipeline = client.pipeline();
  for (let index = 0; index < 200; index++) pipeline.echoAll(1, `k${index}`, index, 'z');
  const results = await pipeline.exec();
  assert.deepEqual(results.map(([error, value]) => [error, value[1]]),
    Array.from({ length: 200 }, (_, index) => [null, String(index)]));
  await assert.rejects(client.eval('return redis.call("LPUSH", KEYS[1], 1)', 1, 'n'),
    /WRONGTYPE Operation against a key holding the wrong kind of value/);
  await assert.rejects(client.evalsha('f'.repeat(40), 0), /NOSCRIPT No matching script/);
  assert.deepEqual(await client.evalBuffer('return ARGV[1]', 0, Buffer.from([0, 255, 10, 13])),
    Buffer.from([0, 255, 10, 13]));
  client.disconnect();
}

async function nodeRedis() {
  const client = createClient({
    socket: { port, connectTimeout: 300_000 },
    RESP: 3,
    functions: {
      counting: {
        addAll: {
          NUMBER_OF_KEYS: 1,
          parseCommand(parser, key, ...amounts) {
            parser.pushKey(key);
            for (const amount of amounts) parser.push(String(amount));
          },
          transformReply: (reply) => reply,
        },
      },
    },
    scripts: {
      addTo: defineScript({
        NUMBER_OF_KEYS: 1,
        SCRIPT: "return redis.call('INCRBY', KEYS[1], ARGV[1])",
        parseCommand(parser, key, amount) {
          parser.pushKey(key);
          parser.push(String(amount));
        },
        transformReply: (reply) => reply,
      }),
    },
  });
  client.on('error', (error) => { throw error; });
  await client.connect();
  assert.equal(await client.addTo('nr:n', 5), 5);
  assert.equal(await client.addTo('nr:n', 2), 7);
  assert.deepEqual(await client.multi().addTo('nr:n', 1).get('nr:n').exec(), [8, '8']);
  const digest = await client.scriptLoad('return 1');
  assert.deepEqual(await client.scriptExists([digest, '0'.repeat(40)]), [1, 0]);
  assert.equal(await client.evalSha(digest), 1);
  const library = `#!lua name=counting
    local calls = 0
    redis.register_function('addAll', function(keys, args)
      calls = calls + 1
      for _, amount in ipairs(args) do redis.call('INCRBY', keys[1], amount) end
      return {calls, tonumber(redis.call('GET', keys[1]))}
    end)
    redis.register_function{function_name = 'calls', callback = function() return calls end, flags = {'no-writes'}}`;
  assert.equal(await client.functionLoad(library, { REPLACE: true }), 'counting');
  assert.deepEqual(await client.counting.addAll('nr:sum', 1, 2, 3), [1, 6]);
  const sums = await Promise.all(Array.from({ length: 50 }, () => client.counting.addAll('nr:sum', 1)));
  assert.deepEqual(sums, Array.from({ length: 50 }, (_, index) => [index + 2, index + 7]));
  assert.equal(await client.fCallRo('calls', { keys: [], arguments: [] }), 51);
  await assert.rejects(client.fCall('none', { keys: [], arguments: [] }), /ERR Function not found/);
  const dump = await client.withTypeMapping({ 36: Buffer }).functionDump();
  assert.equal(await client.functionDelete('counting'), 'OK');
  assert.equal(await client.functionRestore(dump), 'OK');
  assert.deepEqual((await client.functionList()).map((one) => one.library_name), ['counting']);
  assert.equal(await client.fCall('calls', { keys: [], arguments: [] }), 0);
  const map = await client.eval("redis.setresp(3); return redis.call('HGETALL', KEYS[1])", { keys: ['nr:none'] });
  assert.deepEqual({ ...map }, {});
  client.destroy();
}

await ioredis();
await nodeRedis();
console.log('ok');
