/* Memory that is read after it was freed. */
#include <stdlib.h>

int after_free(int *numbers);

int after_free(int *numbers)
{
    free(numbers);
    return numbers[0];
}
